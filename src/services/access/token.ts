import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits in 43 URL-safe characters. Shown or sent once; only its hash is stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** SHA-256 of a token in hex. Nobody can guess a token, so a fast hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** Whether two secrets are equal, compared in constant time. */
export function sameSecret(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(secret)), Buffer.from(hashToken(expected)))
}
