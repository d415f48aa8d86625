import { z } from 'zod'
import { rightNames } from '#policy/project-config.ts'
import { apiKeyScopes } from '#services/access/api-keys/api-key.ts'
import { signInMethods } from '#services/access/sessions/start-session.ts'
import { email, id, instant, listOf, text } from '../common.ts'
import * as example from '../examples.ts'

export const devLoginBody = z
  .strictObject({ email, token: text(200) })
  .meta({ examples: [{ email: example.adasAddress, token: 'the text of DATA/run/dev-token' }] })
export const devSwitchBody = z
  .strictObject({ email })
  .meta({ examples: [{ email: example.gracesAddress }] })
export const hostLinkBody = z
  .strictObject({ email, token: text(200) })
  .meta({ examples: [{ email: example.adasAddress, token: 'the text of DATA/run/host-token' }] })
/** The token of a link, to sign in; or an address, to be mailed one. */
export const linkBody = z
  .union([z.strictObject({ token: text(200) }), z.strictObject({ email })])
  .meta({ examples: [{ email: example.gracesAddress }] })
/** The same for every address, so that it tells of none. */
export const linkRequested = z.object({ asked: z.literal(true) }).meta({ id: 'LinkAsked' })

export const right = z.enum(rightNames)

/** Facts of the installation that every page shows. */
export const installation = z.object({
  /** `development`: embedded servers, loopback, development sign-in */
  profile: z.enum(['development', 'production']),
  /** one person may be everybody: said on every page (product.md 17) */
  singlePerson: z.boolean(),
  /** the project is our working copy of the quickstart example */
  sample: z.boolean(),
  /** absolute path of the project folder; development profile only */
  projectDir: z.string().nullable(),
  /** absolute path of the data folder, where commands must name it; development profile only */
  dataDir: z.string().nullable(),
  temporalUiUrl: z.string().nullable(),
  version: z.string(),
  /** what people type to start the command, such as `countersign` or `bin/countersign` */
  command: z.string(),
})

export const absenceBody = z
  .strictObject({ until: instant, note: text(200).optional() })
  .meta({ examples: [{ until: '2026-03-09T08:00:00.000Z', note: 'on holiday' }] })
export const absence = z
  .object({ until: instant, note: z.string().nullable() })
  .meta({ examples: [{ until: '2026-03-09T08:00:00.000Z', note: 'on holiday' }] })
export const absenceEnded = z
  .object({ ended: z.literal(true) })
  .meta({ examples: [{ ended: true }] })

export const me = z
  .object({
    person: z.object({
      id,
      email: z.string(),
      name: z.string(),
      teams: z.array(z.string()),
      rights: z.array(right),
    }),
    /** goes into `x-csrf-token` of state-changing calls; null for a key, which needs none */
    csrfToken: z.string().nullable(),
    /** how this session was started */
    signedInBy: z.enum([...signInMethods, 'key']),
    expiresAt: instant.nullable(),
    /** people to switch to; only in the development profile */
    switchTo: z.array(z.object({ email: z.string(), name: z.string() })),
    /** that the caller is away: not notified, and not counted as reachable */
    absence: absence.nullable(),
    installation,
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof me>

/**
 * The sign-in methods that the sign-in page offers; readable without a session. `people` only in
 * the development profile.
 */
export const authMethods = z
  .object({
    development: z.boolean(),
    link: z.boolean(),
    /** whether sign-in links can be requested by mail */
    mail: z.boolean(),
    /** people sign in at a provider, which is called so */
    oidc: z.object({ label: z.string() }).nullable(),
    people: z.array(z.object({ email: z.string(), name: z.string() })),
    /** what people type on the machine of the service to start the command */
    command: z.string(),
  })
  .meta({ id: 'AuthMethods' })

export const apiKeyScope = z.enum(apiKeyScopes)

export const createKeyBody = z
  .strictObject({
    name: text(100).min(1),
    /** absent: the caller; to anybody else it is proposed, and only they see it */
    owner: email.optional(),
    scopes: z.array(apiKeyScope).min(1).max(apiKeyScopes.length),
    /** absent: it does not end by itself */
    expiresAt: instant.optional(),
  })
  .meta({
    examples: [{ name: 'ci', scopes: ['requests:write'], expiresAt: '2026-06-01T00:00:00Z' }],
  })

/** How long the secret before works on: a day unless said otherwise, at most 30; 0 ends it now. */
export const rotateKeyBody = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(86_400),
  })
  .meta({ examples: [{ overlapSeconds: 3600 }] })
/** `key` is told this once. */
export const rotatedKey = z
  .object({
    id: z.string(),
    key: z.string(),
    expiresAt: instant.nullable(),
    previousUntil: instant.nullable(),
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

const keyPerson = z.object({ id, name: z.string(), email: z.string() })

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
    id: z.string(),
    name: z.string(),
    owner: keyPerson,
    /**
     * who proposed it to its owner, and is a principal of what is done with it; null: its owner
     * made it
     */
    proposedBy: keyPerson.nullable(),
    scopes: z.array(apiKeyScope),
    createdAt: instant,
    lastUsedAt: instant.nullable(),
    revokedAt: instant.nullable(),
    expiresAt: instant.nullable(),
    rotatedAt: instant.nullable(),
    /** until when the secret before the last rotation works too */
    previousUntil: instant.nullable(),
  })
  .meta({ id: 'ApiKey', examples: [keyExample] })
export type ApiKeyView = z.infer<typeof apiKey>
export const apiKeyList = listOf(apiKey)
/** `key` is told this once. */
export const createdKey = apiKey.extend({ key: z.string() }).meta({
  id: 'CreatedApiKey',
  examples: [{ ...keyExample, key: `cs_${example.keyId}_…` }],
})

/** A key that waits for its owner to claim it; `key` is null, since nobody else ever has it. */
export const keyProposal = z
  .object({
    id,
    name: z.string(),
    owner: keyPerson,
    proposedBy: keyPerson,
    scopes: z.array(apiKeyScope),
    /** when the key is to end by itself */
    keyExpiresAt: instant.nullable(),
    createdAt: instant,
    /** until when it can be claimed */
    expiresAt: instant,
    key: z.null(),
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
export const proposalWithdrawn = z
  .object({ withdrawn: z.literal(true) })
  .meta({ examples: [{ withdrawn: true }] })

export const personDetail = z
  .object({
    id,
    email: z.string(),
    name: z.string(),
    teams: z.array(z.string()),
    disabledAt: instant.nullable(),
  })
  .meta({ id: 'PersonDetail' })
export const peopleList = listOf(personDetail)

export const signInLink = z
  .object({ url: z.string(), expiresAt: instant })
  .meta({ id: 'SignInLink' })
export const unlinked = z.object({ unlinked: z.literal(true) })
export const disabled = z.object({ disabled: z.literal(true) })

/**
 * `providerUrl`: where to go to sign out at the sign-in provider too; null when that is not
 * offered.
 */
export const signedOut = z.object({
  signedOut: z.literal(true),
  providerUrl: z.string().nullable(),
})
export type SignedOut = z.infer<typeof signedOut>

/**
 * `return`: the page of ours to go on to; `proof`: SHA-256, in hex, of what the browser will prove
 * its session with.
 */
export const oidcStartQuery = z.strictObject({
  return: text(2000).optional(),
  proof: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash in hex')
    .optional(),
})
/** Providers add what they like; only what the protocol names is read. */
export const oidcCallbackQuery = z.looseObject({
  state: text(200).optional(),
  code: text(10_000).optional(),
  error: text(200).optional(),
})
