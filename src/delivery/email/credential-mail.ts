import type { Mail } from './mail.ts'
import { mailButton, mailHtml, mailLine, mailPage } from './mail-text.ts'
import { accountUrl } from './request-mail.ts'

const maxNameLength = 100

/** A credential that somebody else proposed or made for a person. */
export type CredentialNotice =
  | { readonly what: 'key_proposed'; readonly name: string; readonly by: string }
  | { readonly what: 'link_made' }

/** The mail that tells a person of such a credential; it contains no secret. Pure. */
export function credentialMail(
  notice: CredentialNotice,
  to: { readonly email: string; readonly publicUrl: string },
): Mail {
  const page = accountUrl(to)
  const host = new URL(to.publicUrl).host
  const opening =
    notice.what === 'link_made'
      ? `Somebody on the machine of Countersign at ${host} created a sign-in link for you.`
      : `${mailLine(notice.by, maxNameLength)} proposes an API key to you: "${mailLine(notice.name, maxNameLength)}". Only you can claim it, and only you will see it.`
  const next =
    notice.what === 'link_made'
      ? 'If you did not ask for it, tell them, and look at your sessions:'
      : 'Claim or decline it on your account page:'
  return {
    to: to.email,
    subject:
      notice.what === 'link_made'
        ? `A sign-in link for you was created at ${host}`
        : `An API key is proposed to you at ${host}`,
    text: `${opening}\n\n${next}\n${page}\n`,
    html: mailPage(
      `<p>${mailHtml(opening)}</p><p>${next}</p>`,
      mailButton(page, 'Open your account page'),
    ),
    thread: null,
    unsubscribe: null,
  }
}

/** The mail with a sign-in link, without a thread, so that such mails are not grouped. */
export function signInMail(input: {
  readonly to: string
  /** one of our pages, with a token of URL-safe characters */
  readonly url: string
  readonly publicUrl: string
}): Mail {
  const { to, url, publicUrl } = input
  const host = new URL(publicUrl).host
  const lasts = 'It works once, for 15 minutes. Only the newest link works.'
  const ignore =
    'If you did not ask for it, do nothing: nobody is signed in until the button on its page is pressed.'
  return {
    to,
    subject: `Sign in to Countersign at ${host}`,
    text: `Open this link to sign in to Countersign:\n\n${url}\n\n${lasts}\n${ignore}\n`,
    html: mailPage(
      mailButton(url, `Sign in to Countersign at ${host}`),
      `<p>${lasts}<br>${ignore}</p>`,
    ),
    thread: null,
    unsubscribe: null,
  }
}
