import { z } from 'zod'
import { rightNames } from '#policy/project-config.ts'
import { signInMethods } from '#services/access/sessions/start-session.ts'
import {
  acknowledgementOf,
  address,
  displayName,
  email,
  id,
  instant,
  listOf,
  teamName,
  text,
} from '../common.ts'
import * as example from '../examples.ts'

export const devLoginBody = z
  .strictObject({
    email,
    token: text(200).describe('The text of DATA/run/dev-token'),
  })
  .meta({ examples: [{ email: example.adasAddress, token: 'the text of DATA/run/dev-token' }] })
export const devSwitchBody = z
  .strictObject({ email })
  .meta({ examples: [{ email: example.gracesAddress }] })
export const hostLinkBody = z
  .strictObject({ email, token: text(200).describe('The text of DATA/run/host-token') })
  .meta({ examples: [{ email: example.adasAddress, token: 'the text of DATA/run/host-token' }] })
/** Either the token of a link, to sign in, or an e-mail address, to which a link is sent. */
export const linkBody = z
  .union([
    z.strictObject({
      token: text(200).describe('The token of a sign-in link, which works once'),
      replaceSession: z
        .literal(true)
        .optional()
        .describe(
          'Permits that the sign-in ends the session of another person in this browser; without it, such a link is refused with `conflict`, whose `signedInAs` names that person, and stays unused',
        ),
    }),
    z.strictObject({ email }),
  ])
  .meta({ examples: [{ email: example.gracesAddress }] })
/** The answer is the same for every address, so that nobody learns which ones exist. */
export const linkRequested = acknowledgementOf('asked').meta({ id: 'LinkAsked' })

const right = z.enum(rightNames).describe('A right that countersign.yaml gives')

/** Facts about the installation that every page of the dashboard shows. */
const installation = z.object({
  profile: z
    .enum(['development', 'production'])
    .describe('`development`: embedded servers, loopback address and development sign-in'),
  singlePerson: z
    .boolean()
    .describe('Whether one person may decide everything; every page says so'),
  sample: z.boolean().describe('Whether the project is a copy of the quickstart example'),
  projectDir: z
    .string()
    .nullable()
    .describe('Absolute path of the project folder; null outside the development profile'),
  dataDir: z
    .string()
    .nullable()
    .describe(
      'Absolute path of the data folder, if commands must name it; null outside the development profile',
    ),
  temporalUiUrl: z
    .string()
    .nullable()
    .describe('Address of Temporal’s user interface; null: none is configured'),
  version: z.string().describe('Version of the service'),
  command: z
    .string()
    .describe(
      'How people start the command in a terminal, such as `countersign` or `bin/countersign`',
    ),
})

export const absenceBody = z
  .strictObject({
    until: instant.describe('The end of the absence'),
    note: text(200).optional().describe('A text for colleagues'),
  })
  .meta({ examples: [{ until: '2026-03-09T08:00:00.000Z', note: 'on holiday' }] })
export const absence = z
  .object({
    until: instant.describe('The end of the absence'),
    note: z.string().nullable().describe('A text for colleagues'),
  })
  .meta({ examples: [{ until: '2026-03-09T08:00:00.000Z', note: 'on holiday' }] })
export const absenceEnded = acknowledgementOf('ended')

export const me = z
  .object({
    person: z
      .object({
        id,
        email: address,
        name: displayName,
        teams: z.array(teamName).describe('The teams of the person by countersign.yaml'),
        rights: z.array(right).describe('The rights of the person by countersign.yaml'),
      })
      .describe('The caller, or the owner of the key of the call'),
    csrfToken: z
      .string()
      .nullable()
      .describe(
        'The value of `x-csrf-token` for state-changing calls; null for an API key, which needs none',
      ),
    signedInBy: z.enum([...signInMethods, 'key']).describe('How this session was started'),
    expiresAt: instant
      .nullable()
      .describe('When the session ends at the latest; null: the caller uses an API key'),
    switchTo: z
      .array(z.object({ email: address, name: displayName }))
      .describe('People to whom the caller can switch; empty outside the development profile'),
    absence: absence
      .nullable()
      .describe(
        'The caller’s absence, during which they get no notifications and do not count as reachable',
      ),
    lastEventId: z
      .string()
      .describe(
        'The newest event of `GET /v1/events`. Later answers have every change up to it, and a stream after it has the others',
      ),
    installation: installation.describe('Facts that every page of the dashboard shows'),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof me>

/**
 * The sign-in methods of the sign-in page, readable without a session. `people` is present only in
 * the development profile.
 */
export const authMethods = z
  .object({
    development: z.boolean().describe('Whether people can sign in as anybody, for development'),
    link: z.boolean().describe('Whether the host can make one-time links'),
    mail: z.boolean().describe('Whether sign-in links can be requested by mail'),
    oidc: z
      .object({ label: z.string().describe('The text of the button') })
      .nullable()
      .describe('The sign-in provider and the label of its button; null: there is none'),
    people: z
      .array(z.object({ email: address, name: displayName }))
      .describe('Whom the page offers; empty outside the development profile'),
    command: z
      .string()
      .describe('How people start the command in a terminal on the host of the service'),
  })
  .meta({ id: 'AuthMethods' })

export const personDetail = z
  .object({
    id,
    email: address,
    name: displayName,
    teams: z.array(teamName).describe('The teams of the person by countersign.yaml'),
    disabledAt: instant.nullable().describe('When they were disabled; null: they are not'),
    awayUntil: instant.nullable().describe('Until when they are away; null: they are not'),
    access: z
      .object({
        sessions: z.int().describe('Sessions that have not ended'),
        lastSeenAt: instant
          .nullable()
          .describe('When one of these sessions was last used; null: there is none'),
        passkeys: z.int().describe('Passkeys, also those that nobody has confirmed yet'),
        keys: z.int().describe('API keys that work'),
      })
      .nullable()
      .describe('What disabling them would end; null: the caller lacks the right `managePeople`'),
  })
  .meta({ id: 'PersonDetail' })
export type PersonDetail = z.infer<typeof personDetail>
export const peopleList = listOf(personDetail)

export const signInLink = z
  .object({
    url: z.string().describe('Address to open in a browser'),
    expiresAt: instant.describe('Until when the link works, once'),
  })
  .meta({ id: 'SignInLink' })
export const unlinked = acknowledgementOf('unlinked')
export const disabled = acknowledgementOf('disabled')

export const signedOut = acknowledgementOf('signedOut').extend({
  providerUrl: z
    .string()
    .nullable()
    .describe('The page that signs out at the sign-in provider too; null: the provider has none'),
})
export type SignedOut = z.infer<typeof signedOut>

export const oidcStartQuery = z.strictObject({
  return: text(2000).optional().describe('Path of the dashboard page to open after the sign-in'),
  proof: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash in hex')
    .optional()
    .describe('SHA-256, in hex, of the value with which the browser will prove the session'),
})
/** Providers may add parameters; only those of the protocol are read. */
export const oidcCallbackQuery = z.looseObject({
  state: text(200).optional().describe('The value with which the sign-in started'),
  code: text(10_000).optional().describe('The code of the provider; absent after an error'),
  error: text(200).optional().describe('Why the provider refused, as OAuth 2.0 names it'),
})
