import type { EmailSettings } from '#policy/settings.ts'

/** A mail as it is stored and sent: the same at every attempt. */
export interface Mail {
  /** one address */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** the same in every mail about one thing, so that mail programs group them; `null`: no group */
  readonly thread: string | null
  /** the page with the mail settings; `null`: the recipient requested this mail */
  readonly unsubscribe: string | null
  /** sent in place of this mail if its request has ended by then; absent: nothing is sent */
  readonly onceEnded?: Omit<Mail, 'to' | 'onceEnded'>
}

/** The message for nodemailer. `id` is the Message-ID, the same at a second attempt. */
export function nodemailerMessage(mail: Mail, settings: EmailSettings, id: string) {
  const domain = settings.from.slice(settings.from.lastIndexOf('@') + 1)
  const thread = mail.thread === null ? undefined : `<${mail.thread}@${domain}>`
  return {
    // Objects instead of strings, so that no name or address is parsed as a second recipient.
    from: { name: settings.fromName, address: settings.from },
    to: { name: '', address: mail.to },
    envelope: { from: settings.from, to: [mail.to] },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${id}@${domain}>`,
    ...(thread === undefined ? {} : { inReplyTo: thread, references: thread }),
    headers: {
      'auto-submitted': 'auto-generated',
      'x-auto-response-suppress': 'All',
      ...(mail.unsubscribe === null ? {} : { 'list-unsubscribe': `<${mail.unsubscribe}>` }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
