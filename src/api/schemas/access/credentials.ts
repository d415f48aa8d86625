import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { z } from 'zod'
import { id, instant, listOf, page, person, text } from '../common.ts'

const credentialName = text(100).trim().min(1)

/** A passkey. Its public key's hash is what its owner and whoever confirms it compare. */
export const credential = z
  .object({
    id,
    name: z.string(),
    person: person.extend({ email: z.string() }),
    publicKeyHash: z.string(),
    /** the authenticator may copy it to its owner's other devices */
    synced: z.boolean(),
    registeredAt: instant,
    lastUsedAt: instant.nullable(),
    /** null: nobody else has confirmed it; it signs in, and signs no decisions */
    confirmed: z.object({ by: person, at: instant }).nullable(),
  })
  .meta({ id: 'Credential' })
export type CredentialView = z.infer<typeof credential>

/** `of=everybody` takes the right managePeople. */
export const credentialsQuery = z.strictObject({
  ...page,
  of: z.enum(['me', 'everybody']).default('me'),
})
export const credentialList = listOf(credential)

/** What `navigator.credentials.create` is asked with, in WebAuthn's own JSON form. */
export const registrationOptions = z
  .custom<PublicKeyCredentialCreationOptionsJSON>()
  .meta({ id: 'RegistrationOptions', type: 'object' })

const encoded = text(20_000).regex(/^[\w-]+$/, 'must be base64url')

/** What is checked here of a type that is WebAuthn's own; browsers may say more than this. */
type CheckedType<Json> = z.ZodType<Json, Json>

/** What an authenticator answered, in WebAuthn's own JSON form. */
const registrationResponse = z
  .looseObject({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: encoded,
      attestationObject: encoded,
      transports: z.array(text(40)).max(10).optional(),
    }),
    clientExtensionResults: z.looseObject({}),
  })
  .meta({ id: 'RegistrationResponse' }) as unknown as CheckedType<RegistrationResponseJSON>

/** What `navigator.credentials.get` is asked with, in WebAuthn's own JSON form. */
export const assertionOptions = z
  .custom<PublicKeyCredentialRequestOptionsJSON>()
  .meta({ id: 'AssertionOptions', type: 'object' })

/** What an authenticator signed, in WebAuthn's own JSON form. */
export const assertion = z
  .looseObject({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: encoded,
      authenticatorData: encoded,
      signature: encoded,
      userHandle: text(200).nullish(),
    }),
    clientExtensionResults: z.looseObject({}),
  })
  .meta({ id: 'Assertion' }) as unknown as CheckedType<AuthenticationResponseJSON>

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
export const credentialRemoved = z.object({ removed: z.literal(true) })
