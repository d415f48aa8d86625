import type { EmailSettings } from '#policy/settings.ts'

/** A mail as it is stored and sent: the same at every attempt. */
export interface Mail {
  /** one address */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /**
   * names what it is about, the same in every mail about it, so that programs show them together;
   * `null`: alone
   */
  readonly thread: string | null
  /** the page on which one says what one gets; `null`: the mail was asked for */
  readonly unsubscribe: string | null
}

/**
 * What nodemailer is given. `id` makes the Message-ID: a second attempt is the same message, not
 * another.
 */
export function messageOf(mail: Mail, settings: EmailSettings, id: string) {
  const domain = settings.from.slice(settings.from.lastIndexOf('@') + 1)
  const thread = mail.thread === null ? undefined : `<${mail.thread}@${domain}>`
  return {
    // Objects, so that nothing in a name or an address is read as a second recipient.
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
