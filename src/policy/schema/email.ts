import { z } from 'zod'
import { emailChoices, smtpSecurities } from '#domain/channels/email.ts'
import { duration, maybe, text, variable } from './parts.ts'

export const smtp = z.strictObject({
  host: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/),
  port: maybe(z.int().min(1).max(65_535)).describe('Default: 587; with tls 465'),
  security: maybe(z.enum(smtpSecurities)).describe(
    'starttls (default), tls from the first byte, none only for a server on this machine',
  ),
  userFrom: maybe(variable).describe('the environment variable that holds the user name'),
  passwordFrom: maybe(variable).describe('the environment variable that holds the password'),
})

export const email = z.strictObject({
  smtp,
  from: text.describe('the sender of mail: an address, or Name <address>'),
  default: maybe(z.enum(emailChoices)).describe(
    'the setting of people who have not chosen one on their account page. Default: digest',
  ),
  digestAt: maybe(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)).describe(
    'time of day of the digest. Default: "08:00"',
  ),
  timeZone: maybe(text).describe('of digestAt, as Europe/Berlin. Default: UTC'),
  digestEvery: maybe(duration).describe('a digest every so often instead: 4h'),
})
