import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Channel } from '#domain/actor.ts'
import { createMailedLink, isLinkOpen } from '#services/access/sign-in/create-mailed-link.ts'
import { mailedSignInUrl } from '#services/access/sign-in/sign-in-url.ts'
import type { ServiceContext } from '#services/core/context.ts'
import { credentialMail, type CredentialNotice, signInMail } from './credential-mail.ts'
import type { Mail } from './mail.ts'
import { sendMail, type MailOutcome } from './send-mail.ts'

export interface SignInMailOptions {
  readonly ctx: ServiceContext
  readonly publicUrl: string
  /** the environment, for the mail server's secrets */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** shorter in tests */
  readonly times?: SignInMailTimes
}

interface SignInMailTimes {
  /** pauses after each failed attempt but the last */
  readonly pausesMs: readonly number[]
  readonly timeoutMs: number
}

const minuteMs = 60_000
/**
 * Short pauses while somebody waits, then one minute each. A link works for 15 minutes, so that
 * even the last attempt leaves minutes.
 */
const usualTimes: SignInMailTimes = {
  pausesMs: [2_000, 10_000, 30_000, ...Array.from({ length: 7 }, () => minuteMs)],
  timeoutMs: 10_000,
}
/** Mails in memory at a time, also while the server is down; more are dropped. */
const maxAtOnce = 1000

/**
 * Mails sign-in links, and notices of credentials that others made. It works after the HTTP answer,
 * so that neither the answer nor its time reveals whether the address exists or mail works. A link
 * is only in memory and in its mail: sending is retried until the link is of no use or replaced,
 * and ends with the process.
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

  /** Mails a link to the person with this address, if there is one, after this has returned. */
  sendLink(input: { readonly email: string; readonly channel: Channel }): void {
    this.#runInBackground(() => this.#mail(input), 'a sign-in link was not made')
  }

  /** Mails a person the notice of a credential that somebody else made, after this has returned. */
  notify(email: string, notice: CredentialNotice): void {
    const work = async (): Promise<void> => {
      if (!(await this.isOffered())) return
      const mail = credentialMail(notice, { email, publicUrl: this.#options.publicUrl })
      const { error, status } = await this.#send(mail, async () => true)
      if (error !== null) {
        this.#options.ctx.log.warn(
          { status, error },
          'a notice about a credential could not be sent',
        )
      }
    }
    this.#runInBackground(work, 'a notice about a credential could not be sent')
  }

  #runInBackground(work: () => Promise<void>, failed: string): void {
    const { log } = this.#options.ctx
    if (this.#underWay.size >= maxAtOnce) {
      log.warn({ maxAtOnce }, `${failed}: too many mails are on their way`)
      return
    }
    const task = work()
      .catch((error: unknown) => log.warn({ err: error }, failed))
      .finally(() => this.#underWay.delete(task))
    this.#underWay.add(task)
  }

  async #mail(input: { readonly email: string; readonly channel: Channel }): Promise<void> {
    const { ctx } = this.#options
    const link = await createMailedLink(ctx, input)
    if (link === null) return
    const url = mailedSignInUrl(this.#options.publicUrl, link.token)
    const mail = signInMail({ to: link.to, url, publicUrl: this.#options.publicUrl })
    const outcome = await this.#send(mail, () => isLinkOpen(ctx.db, link.token))
    const fields = { personId: link.personId, status: outcome.status, error: outcome.error }
    if (outcome.error !== null) ctx.log.warn(fields, 'a sign-in link could not be mailed')
  }

  /** Retries while the mail is of use. */
  async #send(mail: Mail, isOfUse: () => Promise<boolean>): Promise<MailOutcome> {
    const { ctx, environment, times = usualTimes } = this.#options
    const { email: settings } = (await ctx.policies.inForce()).config
    if (settings === null) return { status: null, error: 'countersign.yaml no longer has "email"' }
    const stopping = this.#stopping.signal
    const attempt = { id: randomUUID(), timeoutMs: times.timeoutMs, stopping }
    for (const pauseMs of times.pausesMs) {
      const outcome = await sendMail({ settings, environment }, mail, attempt)
      if (outcome.error === null || outcome.isFinal === true || stopping.aborted) return outcome
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
      if (!(await isOfUse())) return outcome
    }
    return sendMail({ settings, environment }, mail, attempt)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#underWay)
  }
}
