import { z } from 'zod'
import { apiKeyScopes } from '../../../services/access/api-key.ts'
import { signInMethods } from '../../../services/access/start-session.ts'
import { email, id, instant, listOf, text } from '../common.ts'

export const devLoginBody = z.strictObject({ email, token: text(200) })
export const devSwitchBody = z.strictObject({ email })
export const hostLinkBody = z.strictObject({ email, token: text(200) })
/** The token of a link, to sign in; or an address, to be mailed one. */
export const linkBody = z.union([z.strictObject({ token: text(200) }), z.strictObject({ email })])
/** The same for every address, so that it tells of none. */
export const linkAsked = z.object({ asked: z.literal(true) }).meta({ id: 'LinkAsked' })

const rights = ['startApproveAll', 'manageRuns', 'readAudit', 'activatePolicy'] as const
export const right = z.enum(rights)

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
})

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
    installation,
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof me>

/** What the sign-in page may offer; readable without a session. `people` only in the development profile. */
export const authMethods = z
  .object({
    development: z.boolean(),
    link: z.boolean(),
    /** links are mailed to whoever asks */
    mail: z.boolean(),
    /** people sign in at a provider, which is called so */
    oidc: z.object({ label: z.string() }).nullable(),
    people: z.array(z.object({ email: z.string(), name: z.string() })),
  })
  .meta({ id: 'AuthMethods' })
export type AuthMethods = z.infer<typeof authMethods>

export const apiKeyScope = z.enum(apiKeyScopes)

export const createKeyBody = z.strictObject({
  name: text(100).min(1),
  /** absent: the caller */
  owner: email.optional(),
  scopes: z.array(apiKeyScope).min(1).max(apiKeyScopes.length),
  /** absent: it does not end by itself */
  expiresAt: instant.optional(),
})

/** How long the secret before works on: a day unless said otherwise, at most 30; 0 ends it now. */
export const rotateKeyBody = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(86_400),
})
/** `key` is told this once. */
export const rotatedKey = z
  .object({
    id: z.string(),
    key: z.string(),
    expiresAt: instant.nullable(),
    previousUntil: instant.nullable(),
  })
  .meta({ id: 'RotatedApiKey' })
export type RotatedKeyView = z.infer<typeof rotatedKey>

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.object({ id, name: z.string(), email: z.string() }),
    scopes: z.array(apiKeyScope),
    createdAt: instant,
    lastUsedAt: instant.nullable(),
    revokedAt: instant.nullable(),
    expiresAt: instant.nullable(),
    rotatedAt: instant.nullable(),
    /** until when the secret before the last rotation works too */
    previousUntil: instant.nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKeyView = z.infer<typeof apiKey>
export const apiKeyList = listOf(apiKey)
export type ApiKeyList = z.infer<typeof apiKeyList>
/** `key` is told this once. */
export const createdKey = apiKey.extend({ key: z.string() }).meta({ id: 'CreatedApiKey' })
export type CreatedKeyView = z.infer<typeof createdKey>

export const personDetail = z
  .object({
    id,
    email: z.string(),
    name: z.string(),
    teams: z.array(z.string()),
    disabledAt: instant.nullable(),
  })
  .meta({ id: 'PersonDetail' })
export type PersonDetail = z.infer<typeof personDetail>
export const peopleList = listOf(personDetail)

export const signInLink = z
  .object({ url: z.string(), expiresAt: instant })
  .meta({ id: 'SignInLink' })
export const unlinked = z.object({ unlinked: z.literal(true) })
export const disabled = z.object({ disabled: z.literal(true) })

/** `providerUrl`: where to go to sign out at the sign-in provider too; null when that is not offered. */
export const signedOut = z.object({
  signedOut: z.literal(true),
  providerUrl: z.string().nullable(),
})
export type SignedOut = z.infer<typeof signedOut>

/** `return`: the page of ours to go on to. */
export const oidcStartQuery = z.strictObject({ return: text(2000).optional() })
/** Providers add what they like; only what the protocol names is read. */
export const oidcCallbackQuery = z.looseObject({
  state: text(200).optional(),
  code: text(10_000).optional(),
  error: text(200).optional(),
})
