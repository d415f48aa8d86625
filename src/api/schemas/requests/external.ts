import { z } from 'zod'
import { canonicalJson } from '../../../domain/digest.ts'
import { limits } from '../../../domain/limits.ts'
import { readWebhookUrl } from '../../../domain/text/webhook-url.ts'
import { hash, id, instant, json, name, reason, text } from '../common.ts'
import { claimedType } from './external-request.ts'
import { requestState } from './requests.ts'

/** An object of a program's own. What has no canonical form has no digest; the store holds no NUL. */
const ownObject = z
  .record(z.string(), json)
  .refine(hasCanonicalForm, 'has half a surrogate pair, or a number that JSON cannot carry')

function hasCanonicalForm(value: unknown): boolean {
  try {
    canonicalJson(value)
    return true
  } catch {
    return false
  }
}

const metadata = ownObject
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= limits.metadataBytes,
    `is over ${limits.metadataBytes} bytes`,
  )
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), 'has a NUL character')

/** How the program itself describes its call: shown as its claim, beside what the service built. */
const claimedPresentation = z.strictObject({
  type: claimedType,
  content: text(limits.claimCharacters),
  language: name.optional(),
})

const callbackUrl = text(2000).transform((value, context) => {
  const read = readWebhookUrl(value)
  if ('url' in read) return read.url
  context.addIssue({ code: 'custom', message: `${read.problem}: ${read.remedy}` })
  return z.NEVER
})

/** A program that is not a run of ours asks for an approval. */
export const externalBody = z.strictObject({
  tool: name,
  input: ownObject,
  /** whose policy judges first */
  worker: name.optional(),
  title: text(200).min(1).optional(),
  presentation: claimedPresentation.optional(),
  queue: name.optional(),
  /** e-mail address or id of the person for whom the program acts: behind the request too */
  onBehalfOf: text(320).min(1).optional(),
  /** where the program is told once it is decided or closed: `https://…` */
  callbackUrl: callbackUrl.optional(),
  /** the program's own name for this, one for each owner of a key: asked again, it is answered with what is there */
  externalId: text(200).min(1),
  metadata: metadata.optional(),
})

/** `wait`: seconds to hold the answer while the request is pending. */
export const waitQuery = z.strictObject({
  wait: z.coerce
    .number('must be a number of seconds, 0 to 60')
    .int('must be a number of seconds, 0 to 60')
    .min(0, 'must be a number of seconds, 0 to 60')
    .max(limits.longPollMs / 1000, 'must be a number of seconds, 0 to 60')
    .default(0),
})

/** The digest of what is about to be done. */
export const consumeBody = z.strictObject({ digest: text(200).nullish() })
export const consumed = z
  .object({
    permit: z.object({
      permitId: id,
      requestId: id,
      digest: hash,
      expiresAt: instant,
      /** canonical JSON; signed are the bytes `countersign/permit/v1`, NUL, and this */
      statement: z.string(),
      /** Ed25519, base64url */
      signature: z.string(),
      keyId: z.string(),
    }),
  })
  .meta({ id: 'TakenPermit' })
export type Consumed = z.infer<typeof consumed>

const outcome = z.enum(['succeeded', 'failed', 'unknown'])
export const outcomeBody = z.strictObject({ state: outcome, summary: reason.optional() })
export const reported = z.object({ requestId: id, state: outcome })
export const withdrawn = z.object({
  requestId: id,
  state: requestState.extract(['cancelled']),
  cancelReason: z.literal('withdrawn'),
})
