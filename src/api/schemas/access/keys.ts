import { z } from 'zod'
import { apiKeyScopes } from '#domain/api-key-scope.ts'
import { address, displayName, email, id, instant, label, listOf } from '../common.ts'
import * as example from '../examples.ts'

const apiKeyScope = z.enum(apiKeyScopes).describe('What the key may do; no scope decides')

export const createKeyBody = z
  .strictObject({
    name: label(100).describe('A name for people, such as the program that uses the key'),
    owner: email
      .optional()
      .describe(
        'E-mail address of the owner; default: the caller. For another person the key becomes a proposal, and only its owner sees the secret',
      ),
    scopes: z
      .array(apiKeyScope)
      .min(1)
      .max(apiKeyScopes.length)
      .describe('Everything that the key may do'),
    expiresAt: instant.optional().describe('When the key ends; default: it does not end by itself'),
  })
  .meta({
    examples: [{ name: 'ci', scopes: ['requests:write'], expiresAt: '2026-06-01T00:00:00Z' }],
  })

/** How long the previous secret stays valid: a day if absent, at most 30 days; 0: it ends now. */
export const rotateKeyBody = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(86_400)
      .describe('For how long the previous secret works too; 0: it ends now'),
  })
  .meta({ examples: [{ overlapSeconds: 3600 }] })
const keyId = z.string().describe('16 hex digits, the middle part of the key')
const secret = z.string().describe('The secret `cs_<id>_<secret>`, which is returned only here')
const keyName = z.string().describe('A name for people')

/** The secret `key` is returned only once. */
export const rotatedKey = z
  .object({
    id: keyId,
    key: secret,
    expiresAt: instant.nullable().describe('When the key ends; null: never'),
    previousUntil: instant
      .nullable()
      .describe('Until when the previous secret works too; null: it does not'),
  })
  .meta({
    id: 'RotatedApiKey',
    examples: [
      {
        id: example.keyId,
        key: `cs_${example.keyId}_…`,
        expiresAt: null,
        previousUntil: '2026-03-02T10:30:00.000Z',
      },
    ],
  })

const keyPerson = z.object({ id, name: displayName, email: address })
const owner = keyPerson.describe('The person who answers for what the key does')
const scopes = z.array(apiKeyScope).describe('Everything that the key may do')

const keyExample = {
  id: example.keyId,
  name: 'ci',
  owner: { ...example.ada, email: example.adasAddress },
  proposedBy: null,
  scopes: ['requests:write'],
  createdAt: example.askedAt,
  lastUsedAt: null,
  revokedAt: null,
  expiresAt: null,
  rotatedAt: null,
  previousUntil: null,
}

export const apiKey = z
  .object({
    id: keyId,
    name: keyName,
    owner,
    proposedBy: keyPerson
      .nullable()
      .describe(
        'Who proposed the key to its owner, and is a principal of what the key does; null: its owner created it',
      ),
    scopes,
    createdAt: instant,
    lastUsedAt: instant.nullable().describe('null: it was never used'),
    revokedAt: instant.nullable().describe('When it was revoked; null: it was not'),
    expiresAt: instant.nullable().describe('When it ends; null: never'),
    rotatedAt: instant.nullable().describe('When its secret was last replaced; null: never'),
    previousUntil: instant
      .nullable()
      .describe('Until when the secret before the last rotation also works'),
  })
  .meta({ id: 'ApiKey', examples: [keyExample] })
export type ApiKeyView = z.infer<typeof apiKey>
export const apiKeyList = listOf(apiKey)
/** The secret `key` is returned only once. */
export const createdKey = apiKey.extend({ key: secret }).meta({
  id: 'CreatedApiKey',
  examples: [{ ...keyExample, key: `cs_${example.keyId}_…` }],
})

/** A proposed key that is not claimed yet. `key` is null: only the owner gets the secret. */
export const keyProposal = z
  .object({
    id,
    name: keyName,
    owner,
    proposedBy: keyPerson.describe('Who proposed the key'),
    scopes,
    keyExpiresAt: instant.nullable().describe('When the key will end'),
    createdAt: instant,
    expiresAt: instant.describe('Until when the proposal can be claimed'),
    key: z.null().describe('Always null: only the owner gets the secret'),
  })
  .meta({
    id: 'ApiKeyProposal',
    examples: [
      {
        id: example.otherId,
        name: 'ci',
        owner: { ...example.ada, email: example.adasAddress },
        proposedBy: { ...example.grace, email: example.gracesAddress },
        scopes: ['requests:write'],
        keyExpiresAt: null,
        createdAt: example.askedAt,
        expiresAt: example.expiresAt,
        key: null,
      },
    ],
  })
export type KeyProposalView = z.infer<typeof keyProposal>
export const keyProposalList = listOf(keyProposal)
