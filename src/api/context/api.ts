import { resolve } from 'node:path'
import type { VapidKey } from '#delivery/push/encrypt-push.ts'
import type { FeedEvent } from '#delivery/stream/event-feed.ts'
import type { CurrentRequest } from '#services/core/current-request.ts'
import type { McpMessage } from './mcp-message.ts'
import type { Readiness } from '../schemas/operation/health.ts'
import type { SlackWorkspace } from '#delivery/slack/slack-identity.ts'
import type { SigningContext } from '#services/core/context.ts'
import type { SignInMails } from '#delivery/email/sign-in-mails.ts'
import type { FindIdentityProvider } from '#services/access/oidc/identity-provider.ts'
import type { SignInCache } from '#services/access/sign-in-cache.ts'
import type { SessionTimes } from '#services/access/sessions/session-times.ts'

/** Public keys of the installation. */
export interface EvidenceKeys {
  /** the public key of the audit log, `name+hash+base64` */
  readonly auditKey: string
  /** the keys of statements as a note that the audit log's key signs, for evidence */
  readonly statementKeys: string
}

/** The settings of the HTTP API from the composition root. Times in milliseconds. */
export interface ApiSettings {
  /** the public address; its host is accepted in `Host`, its origin in `Origin` */
  readonly publicUrl: string
  /** one proxy in front of the service sends the caller's address */
  readonly trustProxy: boolean
  /** the token of development sign-in; null: it is off (api.md, Who is calling) */
  readonly developmentToken: string | null
  /**
   * the token, readable by its owner only, with which people on the host make sign-in links;
   * absent: nobody can
   */
  readonly hostToken?: string
  readonly sessionTimes: SessionTimes
  /** the built dashboard; null: only the API */
  readonly uiDir: string | null
  readonly projectDir: string
  /** the data folder, where a command does not find it by itself; absent: it does */
  readonly dataDir?: string
  /** the project is the working copy of the quickstart example */
  readonly isSample: boolean
  readonly temporal: {
    /** address of Temporal's own user interface; null when there is none */
    readonly uiUrl: string | null
    readonly namespace: string
  }
  readonly version: string
  /** the command as people type it: `countersign`, `npx countersign` or a path */
  readonly command: string
  /** the keys that verify evidence, read at each use, since keys rotate */
  readonly evidence: EvidenceKeys
  /** the key by which push services know this installation */
  readonly pushKey: VapidKey
  readonly requestsPerSecond: number
  /** a comment keeps proxies from closing a silent stream */
  readonly heartbeatMs: number
}

/** The metrics of a process for a collector. */
export interface MetricsPage {
  readonly contentType: string
  text(): Promise<string>
}

/** The facts about a finished answer: the route's pattern, never a path, query or body. */
export interface AnsweredRequest {
  readonly method: string
  /** Express path; null when no route answered */
  readonly route: string | null
  readonly status: number
  /** in ms of the epoch */
  readonly startedAt: number
  readonly durationMs: number
  readonly current: CurrentRequest | null
  /** the outage that caused its failure; null: none */
  readonly outage: string | null
  /** the message of the Model Context Protocol that it brought; null: none */
  readonly mcp: McpMessage | null
}

/** Everything a route may use. */
export interface Api {
  readonly ctx: SigningContext
  readonly settings: ApiSettings
  readonly events: EventFeed
  /** look-ups of sessions and keys of the last seconds; absent: each asks the database */
  readonly signIns?: SignInCache
  /** mails sign-in links; absent: there is no mail */
  readonly signInMails?: Pick<SignInMails, 'isOffered' | 'sendLink' | 'notify'>
  /** absent: there is no sign-in provider */
  readonly identityProviderOf?: FindIdentityProvider
  readonly readiness: () => Promise<Readiness>
  /**
   * fires when the process stops: streams end at once, so that nothing waits for them; readers
   * connect again
   */
  readonly stopping?: AbortSignal
  readonly metrics?: MetricsPage
  /**
   * the workspace of Slack in the policy in force; `null`, or absent: there is none, or its secrets
   * are not set
   */
  readonly slack?: () => Promise<SlackWorkspace | null>
  /** a secret of the environment by the name of its variable; absent: none */
  readonly secretOf?: (variable: string) => string | undefined
  /** called after every answer, to count it */
  readonly onAnswer?: (answer: AnsweredRequest) => void
}

/** Where the stream's route reads from; implemented by src/delivery. */
export interface EventFeed {
  /** At most `limit` numbered events after `sequence`, in order; `null`: after the newest one. */
  since(sequence: bigint | null, limit: number): Promise<readonly FeedEvent[]>
  /** The newest number; 0 before the first. */
  latest(): Promise<bigint>
  /**
   * Calls the listener after new events were numbered, which it reads with `since`. Returns a
   * function that stops it.
   */
  subscribe(listener: () => void): () => void
  /** Calls the listener whenever a run's live text has grown. Returns a function that stops it. */
  subscribeText(runId: string, listener: () => void): () => void
}

/** Absolute path of a workspace, for pages of the development profile; null elsewhere. */
export async function workspaceRootOf(api: Api, name: string): Promise<string | null> {
  if (api.settings.developmentToken === null) return null
  const { config } = await api.ctx.policies.inForce()
  const workspace = config.workspaces.get(name)
  return workspace === undefined ? null : resolve(api.settings.projectDir, workspace.root)
}
