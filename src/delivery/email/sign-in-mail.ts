import type { Mail } from './mail.ts'

/** The mail with a sign-in link. It is alone: mail programs show no two of them as one conversation. */
export function signInMail(input: {
  readonly to: string
  /** ours, with a token of URL-safe characters */
  readonly url: string
  readonly publicUrl: string
}): Mail {
  const { to, url, publicUrl } = input
  const host = new URL(publicUrl).host
  const lasts = 'It works once, for 15 minutes, and only the newest one does.'
  const ignore =
    'If you did not ask for it, do nothing: nobody is signed in until the button on its page is pressed.'
  return {
    to,
    subject: `Sign in to Countersign at ${host}`,
    text: `Open this link to sign in to Countersign:\n\n${url}\n\n${lasts}\n${ignore}\n`,
    html: `<p><a href="${url}">Sign in to Countersign at ${host}</a></p><p>${lasts}<br>${ignore}</p>`,
    thread: null,
    unsubscribe: null,
  }
}
