import { withCapital } from '../text/readable-name.ts'

/** The AI SDK's word, with which the text of a denial begins for the model. */
export const denialWord = 'tool-output-denied'

/** The text of a denial for people: without the word, as a sentence. Pure. */
export function denialForPeople(text: string): string {
  const begin = `${denialWord}: `
  if (!text.startsWith(begin)) return text
  return withCapital(text.slice(begin.length))
}
