/** Makes the name of a message of a word of core, so that the compiler demands the message: keys have no hyphens. */

export type CamelCase<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Word;

export function camelCase<Word extends string>(word: Word): CamelCase<Word> {
  return word.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Word>;
}
