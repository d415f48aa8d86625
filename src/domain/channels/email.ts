/** When somebody gets mail: at each event, in digests of everything that waits, or never. */
export const emailChoices = ['atOnce', 'digest', 'nothing'] as const
export type EmailChoice = (typeof emailChoices)[number]

/** TLS after STARTTLS, from the first byte, or not at all (a server on this machine). */
export const smtpSecurities = ['starttls', 'tls', 'none'] as const
export type SmtpSecurity = (typeof smtpSecurities)[number]
