import type { EmailChoice, SmtpSecurity } from '#domain/channels/email.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'

/** When records that are not evidence are removed, in milliseconds; `null`: never. */
export interface RetentionSettings {
  /** the texts of runs, counted from the end of all runs of their tree */
  readonly transcriptsMs: number | null
  /** deliveries, sessions and other records that are over */
  readonly recordsMs: number | null
}

/** The author of commits of runs. */
export interface CommitSetting {
  readonly name: string
  readonly email: string
}

/** How people sign in, besides one-time links. */
export interface SignInSettings {
  readonly oidc: OidcSettings | null
}

/** An OpenID Connect provider, and which of its claims identify people and their teams. */
export interface OidcSettings {
  /** exactly as in the provider's own documents */
  readonly issuer: string
  readonly clientId: string
  /** name of the environment variable that holds the client secret; `null`: a public client */
  readonly clientSecretFrom: string | null
  readonly scopes: readonly string[]
  /** the text of the button */
  readonly label: string
  readonly emailClaim: string
  readonly requireVerifiedEmail: boolean
  readonly groupsClaim: string
  /** other audiences of access tokens for the gateway than its address */
  readonly tokenAudiences: readonly string[]
  /** teams by the group that fills them */
  readonly teams: ReadonlyMap<string, readonly string[]>
  readonly source: string
}

/** The witnesses that cosign the audit log's checkpoints (audit.md, Protection). */
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

/** Endpoints of other programs, and the private addresses that they may have (security.md 23). */
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

/** A Slack workspace that gets the requests of queues. Secrets are in the environment. */
export interface SlackSettings {
  /** id of the workspace: members of another one decide nothing */
  readonly team: string
  readonly tokenFrom: string
  readonly signingSecretFrom: string
  /** the channel of each queue: `#name` or id */
  readonly channels: ReadonlyMap<string, string>
  readonly source: string
}

/** How mail is sent, and the default for people who have not chosen. */
export interface EmailSettings {
  readonly smtp: SmtpSettings
  /** the sender's address */
  readonly from: string
  readonly fromName: string
  readonly choice: EmailChoice
  readonly digest: EmailDigest
  readonly source: string
}

/** Daily at a time of day `HH:MM`, or at an interval. */
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
