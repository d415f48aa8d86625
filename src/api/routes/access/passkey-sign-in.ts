import { Problem } from '#domain/problem.ts'
import { relyingPartyOf } from '#services/passkeys/relying-party.ts'
import { offerPasskeySignIn, signInWithPasskey } from '#services/passkeys/sign-in-with-passkey.ts'
import { checkOrigin } from '../../route/check-origin.ts'
import type { SignInLimits } from '../../middleware/failure-limit.ts'
import { openRoute } from '../../route/route.ts'
import { me } from '../../schemas/access/auth.ts'
import { emptyBody } from '../../schemas/common.ts'
import * as schemas from '../../schemas/access/credentials.ts'
import { answerSignedIn, surroundings, signInProblems } from './auth.ts'

/** Signing in with a passkey, without a name. Failures count like other ones. */
export function passkeySignInRoutes({ failures, starts }: SignInLimits) {
  return [
    openRoute({
      method: 'post',
      path: '/v1/auth/passkey/options',
      name: 'startPasskeySignIn',
      summary: 'Start a sign-in with a passkey',
      description:
        'Return the options with which the browser uses a passkey to sign in; they are valid for five minutes',
      body: emptyBody,
      answers: { 200: { description: 'The options', schema: schemas.assertionOptions } },
      problems: ['csrf_failed'],
      answer: async (api, { request }) => {
        checkOrigin(request, api.settings.publicUrl)
        await failures.check(request)
        await starts.fail(request)
        const relyingParty = relyingPartyOf(api.settings.publicUrl)
        return { status: 200, body: await offerPasskeySignIn(api.ctx, relyingParty) }
      },
    }),
    openRoute({
      method: 'post',
      path: '/v1/auth/passkey',
      name: 'signInWithPasskey',
      summary: 'Sign in with a passkey',
      description: 'Sign in with the response of a passkey',
      body: schemas.assertionBody,
      answers: { 200: { description: 'Signed in; sets the cookie', schema: me } },
      problems: signInProblems,
      answer: async (api, { body, request, response }) => {
        checkOrigin(request, api.settings.publicUrl)
        await failures.check(request)
        try {
          const session = await signInWithPasskey(api.ctx, {
            ...(await surroundings(api, request)),
            relyingParty: relyingPartyOf(api.settings.publicUrl),
            response: body.response,
          })
          return await answerSignedIn(api, response, session)
        } catch (error) {
          if (error instanceof Problem) await failures.fail(request)
          throw error
        }
      },
    }),
  ]
}
