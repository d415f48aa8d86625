import type { EmailChoice, SmtpSecurity } from '#domain/channels/email.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'

/** After how long what is no evidence goes, in milliseconds; `null`: it is kept. */
export interface RetentionSettings {
  /** the words of runs, counted from the end of all runs of their tree */
  readonly transcriptsMs: number | null
  /** deliveries, sessions and the like that are over */
  readonly recordsMs: number | null
}

/** Whose name stands on commits of runs. */
export interface CommitSetting {
  readonly name: string
  readonly email: string
}

/** How people sign in, besides one-time links. */
export interface SignInSettings {
  readonly oidc: OidcSettings | null
}

/** An OpenID Connect provider, and what of its claims makes somebody known and a member. */
export interface OidcSettings {
  /** to the letter as the provider's own documents write it */
  readonly issuer: string
  readonly clientId: string
  /** name of the environment variable that holds the client secret; `null`: a public client */
  readonly clientSecretFrom: string | null
  readonly scopes: readonly string[]
  /** what the button says */
  readonly label: string
  readonly emailClaim: string
  readonly requireVerifiedEmail: boolean
  readonly groupsClaim: string
  /** teams by the group that fills them */
  readonly teams: ReadonlyMap<string, readonly string[]>
  readonly source: string
}

/** Who cosigns the audit log's checkpoints outside of the building (audit.md, Protection). */
export interface AuditSettings {
  readonly witnesses: readonly WitnessSetting[]
}

export interface WitnessSetting {
  readonly name: string
  /** the submission prefix of C2SP tlog-witness, without a slash at its end */
  readonly url: string
  /** its public key for cosignatures, `name+hash+base64` */
  readonly vkey: string
  readonly source: string
}

/** Where other programs are told, and which private addresses they may have (security.md 23). */
export interface WebhookSettings {
  /** addresses and ranges: `10.1.2.3`, `10.0.0.0/8`, `fd00::/8` */
  readonly allow: readonly string[]
  readonly endpoints: ReadonlyMap<string, WebhookEndpoint>
}

export interface WebhookEndpoint {
  readonly name: string
  readonly url: string
  readonly events: readonly StreamEventType[]
  /** `null`: every queue's requests, and runs where `events` says so */
  readonly queues: readonly string[] | null
  /** name of the environment variable that holds `whsec_…` */
  readonly secretFrom: string
  readonly source: string
}

/**
 * A Slack workspace whose channels are told of the requests of their queues. Secrets are in the
 * environment.
 */
export interface SlackSettings {
  /** id of the workspace: nobody of another decides */
  readonly team: string
  readonly tokenFrom: string
  readonly signingSecretFrom: string
  /** the channel of each queue: `#name` or id */
  readonly channels: ReadonlyMap<string, string>
  readonly source: string
}

/** How mail is sent, and what people get who have not chosen. */
export interface EmailSettings {
  readonly smtp: SmtpSettings
  /** the sender's address */
  readonly from: string
  readonly fromName: string
  readonly choice: EmailChoice
  readonly digest: EmailDigest
  readonly source: string
}

/** Daily at a time of day `HH:MM`, or every so often. */
export type EmailDigest =
  | { readonly at: string; readonly timeZone: string }
  | { readonly everyMs: number }

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly security: SmtpSecurity
  /** names of environment variables; both `null`: the server asks for no sign-in */
  readonly userFrom: string | null
  readonly passwordFrom: string | null
}
