/** Waits at each place of core at once, and prints how each wait went as JSON; whoever starts it may have it stand still. */
import { beginWaits, LONG_PLACES, PLACES } from "../core/waiting-places.ts";

const ended = await beginWaits(process.argv[2] === "all" ? [...PLACES, ...LONG_PLACES] : PLACES);
console.log("waiting");
console.log(JSON.stringify(await ended()));
process.exit();
