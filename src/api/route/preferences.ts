import type { Request } from 'express'
import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'

/** Request headers of verbs that a caller may repeat safely, for the document. */
export const idempotencyHeader = {
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'Names this call: a repeated call gets the original answer' }),
}

/** Request header of verbs that can wait, for the document. */
export const preferHeader = {
  prefer: z.string().optional().meta({ description: '`wait=n`: at most n seconds, 60 at most' }),
}

/** The key as received, for the verbs. Characters that no header should have are refused. */
export function idempotencyKeyOf(request: Request): { readonly idempotencyKey?: string } {
  const key = request.get('idempotency-key')
  if (key === undefined) return {}
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw new Problem('invalid_request', 'An Idempotency-Key has 1 to 200 printable characters', {
      field: 'Idempotency-Key',
    })
  }
  return { idempotencyKey: key }
}

/**
 * How long the caller prefers to wait, in milliseconds; 0 without `Prefer: wait=n` (RFC 7240), and
 * at most 60 s.
 */
export function preferredWaitMs(request: Request): number {
  const [, seconds] =
    /(?:^|[,;\s])wait=([0-9]{1,6})(?:$|[,;\s])/i.exec(request.get('prefer') ?? '') ?? []
  return Math.min(Number(seconds ?? 0) * 1000, limits.preferWaitMs)
}
