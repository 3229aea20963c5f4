/** Writes an entry into the journal in a folder, and ends. */
import { fileJournal } from "../../../core/file.ts";

await fileJournal(process.argv[2] ?? "").set("key", { version: 1, uploads: {} });
