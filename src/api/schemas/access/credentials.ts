import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { z } from 'zod'
import { address, id, instant, label, listOf, page, person, text } from '../common.ts'

const credentialName = label(100).describe('A name by which its owner knows it')

/** A passkey. Its owner and the confirming person compare the hash of its public key. */
export const credential = z
  .object({
    id,
    name: z.string().describe('The name that its owner gave it'),
    person: person.extend({ email: address }).describe('The owner'),
    publicKeyHash: z
      .string()
      .describe('Hash of its public key, which the owner and the confirming person compare'),
    synced: z
      .boolean()
      .describe('Whether the authenticator may copy the passkey to other devices of its owner'),
    registeredAt: instant,
    lastUsedAt: instant.nullable().describe('null: it was never used'),
    confirmed: z
      .object({ by: person, at: instant })
      .nullable()
      .describe(
        'Who confirmed the passkey, and when; null: it signs in, but signs no decisions yet',
      ),
  })
  .meta({ id: 'Credential' })
export type CredentialView = z.infer<typeof credential>

/** `of=everybody` needs the right managePeople. */
export const credentialsQuery = z.strictObject({
  ...page,
  of: z
    .enum(['me', 'everybody'])
    .default('me')
    .describe('Whose passkeys; `everybody` needs the right managePeople'),
})
export const credentialList = listOf(credential)

/** The options of `navigator.credentials.create` in the JSON form of WebAuthn. */
export const registrationOptions = z
  .custom<PublicKeyCredentialCreationOptionsJSON>()
  .meta({ id: 'RegistrationOptions', type: 'object' })

const encoded = text(20_000)
  .regex(/^[\w-]+$/, 'must be base64url')
  .describe('In base64url, as the browser returns it')

/** A schema of some members of a WebAuthn type. Browsers may send more members. */
type CheckedType<Json> = z.ZodType<Json, Json>

/** The response of an authenticator in the JSON form of WebAuthn. */
const registrationResponse = z
  .looseObject({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key').describe('The only type of WebAuthn'),
    response: z
      .looseObject({
        clientDataJSON: encoded,
        attestationObject: encoded,
        transports: z
          .array(text(40))
          .max(10)
          .optional()
          .describe('How browsers reach the authenticator, such as `usb` or `internal`'),
      })
      .describe('The new key and what the authenticator states of it'),
    clientExtensionResults: z.looseObject({}).describe('Not read; WebAuthn requires it'),
  })
  .meta({
    id: 'RegistrationResponse',
    description: 'What `navigator.credentials.create` returned',
  }) as unknown as CheckedType<RegistrationResponseJSON>

/** The options of `navigator.credentials.get` in the JSON form of WebAuthn. */
export const assertionOptions = z
  .custom<PublicKeyCredentialRequestOptionsJSON>()
  .meta({ id: 'AssertionOptions', type: 'object' })

/** The assertion that an authenticator signed, in the JSON form of WebAuthn. */
export const assertion = z
  .looseObject({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key').describe('The only type of WebAuthn'),
    response: z
      .looseObject({
        clientDataJSON: encoded,
        authenticatorData: encoded,
        signature: encoded,
        userHandle: text(200).nullish().describe('Identifies the person; null: not returned'),
      })
      .describe('The signature and what it covers'),
    clientExtensionResults: z.looseObject({}).describe('Not read; WebAuthn requires it'),
  })
  .meta({
    id: 'Assertion',
    description: 'What `navigator.credentials.get` returned',
  }) as unknown as CheckedType<AuthenticationResponseJSON>

const passkeyExample = { id: 'q1w2e3r4', rawId: 'q1w2e3r4', type: 'public-key' }
const clientDataJSON = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'

export const assertionBody = z.strictObject({ response: assertion }).meta({
  examples: [
    {
      response: {
        ...passkeyExample,
        response: { clientDataJSON, authenticatorData: 'SZYN5YgO', signature: 'MEUCIQDx' },
        clientExtensionResults: {},
      },
    },
  ],
})

export const registerBody = z
  .strictObject({ name: credentialName, response: registrationResponse })
  .meta({
    examples: [
      {
        name: 'Laptop',
        response: {
          ...passkeyExample,
          response: { clientDataJSON, attestationObject: 'o2NmbXRkbm9uZQ' },
          clientExtensionResults: {},
        },
      },
    ],
  })
export const renameBody = z
  .strictObject({ name: credentialName })
  .meta({ examples: [{ name: 'Laptop' }] })
