import { parseObject } from '#domain/json/parse-json.ts'
import { randomBytes } from 'node:crypto'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db } from '../database.ts'
import { getText, putContent } from './content.ts'

interface Exchange {
  readonly db: Db
  readonly seals: Pick<Seals, 'ofMessage' | 'holdsMessage'>
}

/**
 * Stores a message between API and Temporal workers, and returns its hash, which is all that
 * Temporal sees. It is sealed, because anyone who reaches Temporal can name any stored text, even
 * one that an agent wrote. `to`: the hash of the question, for an answer.
 */
export async function putMessage(
  { db, seals }: Exchange,
  message: unknown,
  to: string | null,
): Promise<string> {
  // The salt makes the content unique: it is released when the question is answered.
  const text = JSON.stringify({ to, message, salt: randomBytes(16).toString('hex') })
  return putContent(db, JSON.stringify({ text, seal: seals.ofMessage(text) }))
}

/** The message; `null`: not of this installation, or the answer to another question. */
export async function readMessage(
  { db, seals }: Exchange,
  hash: string,
  to: string | null,
): Promise<{ readonly message: unknown } | null> {
  const { text, seal } = { ...parseObject(await getText(db, hash)) }
  if (typeof text !== 'string' || typeof seal !== 'string') return null
  if (!seals.holdsMessage(text, seal)) return null
  const sealed = parseObject(text)
  return sealed?.['to'] === to ? { message: sealed['message'] } : null
}
