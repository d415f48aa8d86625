import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Channel } from '../../domain/actor.ts'
import {
  createMailedLink,
  isLinkOpen,
  type MailedLink,
} from '../../services/access/create-mailed-link.ts'
import { mailedSignInUrl } from '../../services/access/sign-in-url.ts'
import type { ServiceContext } from '../../services/context.ts'
import { sendMail, type MailOutcome } from './send-mail.ts'
import { signInMail } from './sign-in-mail.ts'

export interface SignInMailOptions {
  readonly ctx: ServiceContext
  readonly publicUrl: string
  /** the environment, for the mail server's secrets */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** tests have shorter ones */
  readonly times?: SignInMailTimes
}

interface SignInMailTimes {
  /** after each failed attempt but the last */
  readonly pausesMs: readonly number[]
  readonly timeoutMs: number
}

const minuteMs = 60_000
/** At once while somebody waits for it, then each minute: what comes last still works for minutes (15 in all). */
const usualTimes: SignInMailTimes = {
  pausesMs: [2_000, 10_000, 30_000, ...Array.from({ length: 7 }, () => minuteMs)],
  timeoutMs: 10_000,
}
/** More than anybody needs, also while the mail server is down; what is over it is dropped. */
const mostAtOnce = 1000

/**
 * Mails sign-in links. All of it happens after the answer to who asked, so that neither the answer nor its time tells
 * whether anybody has the address, or whether mail works. A link is in memory and in its mail alone: it is tried again
 * while the mail server is down, until it would be of no use or a newer one has taken its place, and ends with the process.
 */
export class SignInMails implements AsyncDisposable {
  readonly #options: SignInMailOptions
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: SignInMailOptions) {
    this.#options = options
  }

  /** Whether the policy in force says how mail is sent. */
  async isOffered(): Promise<boolean> {
    return (await this.#options.ctx.policies.inForce()).config.email !== null
  }

  /** Mails a link to whoever has the address, some time after this has returned. */
  ask(asked: { readonly email: string; readonly channel: Channel }): void {
    const { log } = this.#options.ctx
    if (this.#underWay.size >= mostAtOnce) {
      log.warn({ most: mostAtOnce }, 'a sign-in link was not made: too many are on their way')
      return
    }
    const sent = this.#mail(asked)
      .catch((error: unknown) => log.warn({ err: error }, 'a sign-in link was not made'))
      .finally(() => this.#underWay.delete(sent))
    this.#underWay.add(sent)
  }

  async #mail(asked: { readonly email: string; readonly channel: Channel }): Promise<void> {
    const { ctx } = this.#options
    const link = await createMailedLink(ctx, asked)
    if (link === null) return
    const outcome = await this.#send(link)
    const told = { personId: link.personId, status: outcome.status, error: outcome.error }
    if (outcome.error !== null) ctx.log.warn(told, 'a sign-in link could not be mailed')
  }

  async #send(link: MailedLink): Promise<MailOutcome> {
    const { ctx, publicUrl, environment, times = usualTimes } = this.#options
    const { email: settings } = (await ctx.policies.inForce()).config
    if (settings === null)
      return { status: null, error: 'countersign.yaml has no "email" any more' }
    const mail = signInMail({ to: link.to, url: mailedSignInUrl(publicUrl, link.token), publicUrl })
    const stopping = this.#stopping.signal
    const attempt = { id: randomUUID(), timeoutMs: times.timeoutMs, stopping }
    for (const pauseMs of times.pausesMs) {
      const outcome = await sendMail({ settings, environment }, mail, attempt)
      if (outcome.error === null || outcome.isFinal === true || stopping.aborted) return outcome
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
      if (!(await isLinkOpen(ctx.db, link.token))) return outcome
    }
    return sendMail({ settings, environment }, mail, attempt)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#underWay)
  }
}
