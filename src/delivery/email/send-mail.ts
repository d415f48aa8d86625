import { unsetVariable } from '#domain/error-message.ts'
import type { EmailSettings } from '#policy/settings.ts'
import { nodemailerMessage, type Mail } from './mail.ts'

/** How to reach the mail server: the project's settings, and the environment with their secrets. */
export interface MailRoute {
  readonly settings: EmailSettings
  readonly environment: Readonly<Record<string, string | undefined>>
  /** further certificate authorities, in PEM; default: those that Node trusts */
  readonly ca?: string
}

export interface MailAttempt {
  /** of the message, the same at every attempt */
  readonly id: string
  /** in milliseconds, for everything: name, connection, sign-in and message */
  readonly timeoutMs: number
  readonly stopping: AbortSignal
}

/**
 * The outcome of an attempt. `error` is `null` when the server accepted the mail; `status` is its
 * SMTP code.
 */
export interface MailOutcome {
  readonly status: number | null
  readonly error: string | null
  /** the server refuses the address for good: do not retry */
  readonly isFinal?: boolean
}

/** Sends a mail over its own connection. Never rejects; the outcome repeats none of it. */
export async function sendMail(
  route: MailRoute,
  mail: Mail,
  attempt: MailAttempt,
): Promise<MailOutcome> {
  const missing = missingVariable(route)
  if (missing !== null) return { status: null, error: unsetVariable(missing) }
  const late = AbortSignal.timeout(attempt.timeoutMs)
  const transport = await connect(route, attempt.timeoutMs)
  try {
    await transport.sendMail({
      ...nodemailerMessage(mail, route.settings, attempt.id),
      signal: AbortSignal.any([late, attempt.stopping]),
    })
    return { status: 250, error: null }
  } catch (error) {
    if (attempt.stopping.aborted) return { status: null, error: 'the service stopped' }
    // The transport has timers of the same length, one of which may fire first.
    const isLate = late.aborted || (error as SmtpError).code === 'ETIMEDOUT'
    if (isLate) return { status: null, error: `no answer in ${attempt.timeoutMs} ms` }
    return outcomeOf(error as SmtpError)
  } finally {
    transport.close()
  }
}

/**
 * Connects and signs in as for a mail, without sending one. Returns the problem as a sentence;
 * `null`: none. Never rejects.
 */
export async function tryMailServer(route: MailRoute, timeoutMs: number): Promise<string | null> {
  const missing = missingVariable(route)
  if (missing !== null) return unsetVariable(missing)
  const transport = await connect(route, timeoutMs)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return outcomeOf(error as SmtpError).error
  } finally {
    transport.close()
  }
}

/** The first variable that the settings name and that is not set. */
function missingVariable({ settings, environment }: MailRoute): string | null {
  const { userFrom, passwordFrom } = settings.smtp
  return [userFrom, passwordFrom].find((name) => name !== null && !environment[name]) ?? null
}

/** The library is loaded with the first mail: it is a twentieth of the start of a process. */
async function connect({ settings, environment, ca }: MailRoute, timeoutMs: number) {
  const { createTransport } = await import('nodemailer')
  const { host, port, security, userFrom, passwordFrom } = settings.smtp
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    tls: { minVersion: 'TLSv1.2' as const, ...(ca === undefined ? {} : { ca }) },
    ...(userFrom === null || passwordFrom === null
      ? {}
      : { auth: { user: environment[userFrom] ?? '', pass: environment[passwordFrom] ?? '' } }),
  })
}

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}

/** A server's own text may repeat the address or the message, so only its code is reported. */
function outcomeOf({ code, command, responseCode, message }: SmtpError): MailOutcome {
  const status = responseCode ?? null
  if (code === 'EAUTH') {
    return { status, error: `the server refused the user name or password (${status ?? code})` }
  }
  if (command === 'RCPT TO' && status !== null && status >= 500) {
    return { status, error: `the server takes no mail for this address (${status})`, isFinal: true }
  }
  if (status !== null) {
    return { status, error: `the server answered ${status} to ${command ?? 'the message'}` }
  }
  return { status, error: `${code ?? 'error'}: ${message.slice(0, 300)}` }
}
