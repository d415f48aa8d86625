import type { FetchFunction, KnownBlock, View, WebClient } from '@slack/web-api'
import { readEmailAddress } from '#domain/email-address.ts'
import { errorMessage } from '#domain/error-message.ts'
import { postPinned, untilAborted } from '../webhooks/post-pinned.ts'
import { findTarget, type TargetRules } from '../webhooks/find-target.ts'

/** Slack's library, loaded with the first call: most installations make none. */
const loadLibrary = () => import('@slack/web-api')
type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Base address of Slack's methods; only tests and proxies use another. */
export const usualSlackUrl = 'https://slack.com/api/'
const maxBytes = 1024 * 1024

/** A call of Slack that failed, and why. */
export class SlackFailure extends Error {
  override readonly name = 'SlackFailure'
  readonly status: number | null
  /** Slack's error code, such as `channel_not_found`; `null` when there is none */
  readonly reason: string | null
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    why: Partial<Pick<SlackFailure, 'status' | 'reason' | 'retryAfterMs'>>,
  ) {
    super(message)
    this.status = why.status ?? null
    this.reason = why.reason ?? null
    this.retryAfterMs = why.retryAfterMs ?? null
  }
}

/** A user as the Slack workspace knows them. */
export interface SlackUser {
  readonly id: string
  readonly team: string
  readonly email: string | null
  /** false for one who is removed, a bot, a guest or of another workspace: they may not decide */
  readonly isMember: boolean
}

export interface SlackPost {
  readonly text: string
  readonly blocks: readonly KnownBlock[]
}

/** Limits of one call. */
export interface SlackCall {
  readonly timeoutMs: number
  readonly stopping?: AbortSignal
}

export interface SlackClientOptions extends TargetRules {
  readonly token: string
  /** id of the workspace that the token must belong to */
  readonly team: string
  readonly url: string
}

/** Client of one Slack workspace. Every method rejects with `SlackFailure`. */
export class SlackClient {
  readonly #options: SlackClientOptions
  #isOfTeam = false

  constructor(options: SlackClientOptions) {
    this.#options = options
  }

  async post(
    to: { readonly channel: string; readonly thread?: string },
    post: SlackPost,
    call: SlackCall,
  ): Promise<{ channel: string; ts: string }> {
    const answer = await this.#ask(call, (web) =>
      web.chat.postMessage({
        channel: to.channel,
        ...(to.thread === undefined ? {} : { thread_ts: to.thread }),
        ...literally(post),
        unfurl_links: false,
        unfurl_media: false,
        mrkdwn: false,
      }),
    )
    if (answer.channel === undefined || answer.ts === undefined) {
      throw new SlackFailure('Slack did not say where the message is', {})
    }
    return { channel: answer.channel, ts: answer.ts }
  }

  async update(
    at: { readonly channel: string; readonly ts: string },
    post: SlackPost,
    call: SlackCall,
  ): Promise<void> {
    await this.#ask(call, (web) => web.chat.update({ ...at, ...literally(post) }))
  }

  async openView(triggerId: string, view: View, call: SlackCall): Promise<void> {
    await this.#ask(call, (web) => web.views.open({ trigger_id: triggerId, view }))
  }

  async user(id: string, call: SlackCall): Promise<SlackUser> {
    const { user } = await this.#ask(call, (web) => web.users.info({ user: id }))
    const isMember =
      user?.id === id &&
      user.team_id === this.#options.team &&
      !(user.deleted || user.is_bot || user.is_stranger) &&
      !(user.is_restricted || user.is_ultra_restricted) &&
      user.is_email_confirmed !== false
    const email = readEmailAddress(user?.profile?.email ?? '')
    return { id, team: user?.team_id ?? '', email, isMember }
  }

  /** Before the first call, checks that the token is of the configured workspace. */
  async #ask<T>(call: SlackCall, work: (web: WebClient) => Promise<T>): Promise<T> {
    const library = await loadLibrary()
    const web = this.#connect(library, call)
    try {
      if (!this.#isOfTeam) {
        const { team_id: team } = await web.auth.test()
        if (team !== this.#options.team) {
          throw new SlackFailure(
            `the token is of the workspace ${team}, not ${this.#options.team}`,
            {
              reason: 'other_team',
            },
          )
        }
        this.#isOfTeam = true
      }
      return await work(web)
    } catch (error) {
      throw failureOf(library, error)
    }
  }

  #connect({ LogLevel, WebClient }: Library, { timeoutMs, stopping }: SlackCall): WebClient {
    const late = AbortSignal.timeout(timeoutMs)
    const signal = stopping === undefined ? late : AbortSignal.any([late, stopping])
    return new WebClient(this.#options.token, {
      slackApiUrl: this.#options.url,
      allowAbsoluteUrls: false,
      // The relay retries, and waits as long as Slack asks.
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      fetch: fetchPinned(this.#options, signal),
      logLevel: LogLevel.ERROR,
      logger: { ...silent, getLevel: () => LogLevel.ERROR },
    })
  }
}

/** The library's log messages could quote what was sent (security.md 25). Failures are thrown. */
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  setName: () => undefined,
}

/** Slack makes no link or mention of any text. */
function literally({ text, blocks }: SlackPost) {
  return { text, blocks: [...blocks], link_names: false, parse: 'none' as const }
}

function fetchPinned(rules: TargetRules, signal: AbortSignal): FetchFunction {
  return async (target, init = {}) => {
    const url = new URL(target)
    const address = await untilAborted(signal, findTarget(url, rules))
    const { headers = {} } = init
    if (typeof init.body !== 'string') throw new Error('The body of a request to Slack is a form')
    const answer = await postPinned({ url, address, headers, body: init.body, signal, maxBytes })
    const head = new Map(
      Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    )
    return {
      ok: answer.status >= 200 && answer.status < 300,
      status: answer.status,
      statusText: '',
      url: url.href,
      headers: {
        get: (name) => head.get(name.toLowerCase()) ?? null,
        entries: () => head.entries(),
      },
      text: async () => answer.body,
      json: async () => JSON.parse(answer.body) as unknown,
      arrayBuffer: async () => new TextEncoder().encode(answer.body).buffer,
    }
  }
}

function failureOf(library: Library, error: unknown): SlackFailure {
  const { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } = library
  if (error instanceof SlackFailure) return error
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000
    return new SlackFailure(`Slack asks to wait ${error.retryAfter} s`, {
      status: 429,
      retryAfterMs,
    })
  }
  if (error instanceof WebAPIHTTPError) {
    const status = error.statusCode
    return new SlackFailure(`Slack answered ${status}`, { status })
  }
  if (error instanceof WebAPIPlatformError) {
    // Slack's error code. For an answer that is not JSON the library puts all of it here, hence the
    // pattern.
    const word = /^[a-z_]{1,80}$/.exec(error.data.error)?.[0] ?? 'in an unknown format'
    return new SlackFailure(`Slack answered ${word}`, { status: 200, reason: word })
  }
  const message = errorMessage(error)
  return new SlackFailure(message.slice(0, 300), {})
}
