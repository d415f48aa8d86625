import { z } from 'zod'
import { email, id, text } from './common.ts'

export const devLoginBody = z.strictObject({ email, token: text(200) })
export const devSwitchBody = z.strictObject({ email })
export const linkBody = z.strictObject({ token: text(200) })

const rights = ['startApproveAll', 'manageRuns', 'readAudit', 'activatePolicy'] as const
export const right = z.enum(rights)
export type Right = z.infer<typeof right>

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
  temporalUiUrl: z.string().nullable(),
  version: z.string(),
})
export type Installation = z.infer<typeof installation>

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
    signedInBy: z.enum(['development', 'link', 'key']),
    expiresAt: z.iso.datetime().nullable(),
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
    people: z.array(z.object({ email: z.string(), name: z.string() })),
  })
  .meta({ id: 'AuthMethods' })
export type AuthMethods = z.infer<typeof authMethods>

export const signedOut = z.object({ signedOut: z.literal(true) })
