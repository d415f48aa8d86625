import { hashBytes } from '../../../domain/digest.ts'

/**
 * What `content` holds of a message: its text as a JSON string. Its calls are rows of `tool_call`, written with it.
 * A run's input that is text has the same bytes, so that it is stored once.
 */
export function writeMessageText(text: string): string {
  return JSON.stringify(text)
}

/** Reads what {@link writeMessageText} wrote. */
export function readMessageText(stored: string): string {
  const text: unknown = JSON.parse(stored)
  return typeof text === 'string' ? text : ''
}

/** The content hash of a message in which nothing was said. */
export const wordlessHash = hashBytes(writeMessageText(''))
