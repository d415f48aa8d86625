import { z } from 'zod'
import { scopes } from '#domain/policy/verdict.ts'
import { hash, id, instant, person } from '../common.ts'

export const scope = z.enum(scopes)
export type ScopeName = z.infer<typeof scope>

export const grant = z
  .object({
    id,
    tool: z.string(),
    scope,
    digest: hash,
    /** what scope `path` covers */
    path: z.string().nullable(),
    grantedBy: person,
    requestId: id,
    createdAt: instant,
    uses: z.int(),
    usesAllowed: z.int().nullable(),
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    revokedBy: person.nullable(),
    /** set when the root run has ended */
    endedAt: instant.nullable(),
    /**
     * why it covers nothing now although it has neither ended nor been revoked; null when it can
     * count
     */
    dormant: z.string().nullable(),
    /** the caller may revoke it */
    canRevoke: z.boolean(),
  })
  .meta({ id: 'Grant' })
export type GrantView = z.infer<typeof grant>
export const grantList = z.object({ items: z.array(grant) })
