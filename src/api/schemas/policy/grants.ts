import { z } from 'zod'
import { scopes } from '#domain/policy/verdict.ts'
import { hash, id, instant, person, toolName, wholeListOf } from '../common.ts'

export const scope = z
  .enum(scopes)
  .describe(
    'What an approval covers. `once`: this call. The others also cover later calls of the root run. `run`: the same call; `path`: calls of the tool on the path; `command`: the same command',
  )
export type ScopeName = z.infer<typeof scope>

const grant = z
  .object({
    id,
    tool: toolName,
    scope,
    digest: hash.describe('Digest of the call that it covers, or of what its scope covers'),
    path: z.string().nullable().describe('The path that a grant of scope `path` covers'),
    grantedBy: person,
    requestId: id.describe('Id of the request whose approval made it'),
    createdAt: instant,
    uses: z.int().describe('How many calls it has covered so far'),
    usesAllowed: z.int().nullable().describe('How many calls it covers at most; null: any number'),
    expiresAt: instant.nullable().describe('When it ends; null: with the root run'),
    revokedAt: instant.nullable().describe('When it was revoked; null: it was not'),
    revokedBy: person.nullable().describe('Who revoked it; null: nobody'),
    endedAt: instant.nullable().describe('When the root run ended; null: it has not'),
    dormant: z
      .string()
      .nullable()
      .describe('Why the grant covers nothing at present; null: it does, or it has ended'),
    canRevoke: z.boolean().describe('Whether the caller may revoke it'),
  })
  .meta({ id: 'Grant' })
export type GrantView = z.infer<typeof grant>
export const grantList = wholeListOf(grant)
