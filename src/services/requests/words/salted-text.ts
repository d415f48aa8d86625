import { randomBytes } from 'node:crypto'
import { canonicalJson } from '#domain/json/digest.ts'
import { getText, putContent } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import { unlessErased } from './erased-words.ts'

/**
 * Stores a person's text (a reason, a comment) with a salt, and returns the hash: a commitment for
 * audit events, which reveals nothing once the text is erased (audit.md, form). Read it with
 * `getSaltedText`.
 */
export async function putSaltedText(db: Db | Tx, text: string): Promise<string> {
  return putContent(db, saltedDocument(text, newSalt()))
}

/** 128 random bits, base64url. */
export function newSalt(): string {
  return randomBytes(16).toString('base64url')
}

/** The stored document of a text: its hash is the commitment. */
export function saltedDocument(text: string, salt: string): string {
  return canonicalJson({ salt, text })
}

/** The text behind a hash of `putSaltedText`, or that and when it was erased; `null` for `null`. */
export async function getSaltedText(db: Db | Tx, hash: string | null): Promise<string | null> {
  if (hash === null) return null
  const read = async (): Promise<string> => saltedText(await getText(db, hash))
  return unlessErased(db, hash, read, (text) => text)
}

/** The words in a stored document. */
export function saltedText(document: string): string {
  const { text } = JSON.parse(document) as { readonly text: string }
  return text
}
