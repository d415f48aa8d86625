import { Problem } from '#domain/problem.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { findActivePerson } from '../find-active-person.ts'
import { refuseSignIn } from './refuse-sign-in.ts'
import {
  startSession,
  type SignInSurroundings,
  type StartedSession,
} from '../sessions/start-session.ts'
import { sameSecret } from '../token.ts'
import { byVisitor } from '../../core/authority.ts'

/**
 * Signs in as a person whom the project names, for holders of the owner-only token (security.md
 * 26). Rejects with `unauthenticated`; every refusal is audited.
 */
export async function signInForDevelopment(
  ctx: ServiceContext,
  input: SignInSurroundings & { email: string; token: string; expectedToken: string },
): Promise<StartedSession> {
  const { channel } = input
  if (!sameSecret(input.token, input.expectedToken)) {
    return refuseSignIn(ctx, { method: 'development', why: 'wrong_token', channel })
  }
  const person = await findActivePerson(ctx, input.email)
  if (person === null) {
    return refuseSignIn(ctx, { method: 'development', why: 'unknown_person', channel })
  }
  return inUnitOfWork(ctx, byVisitor('sign-in', input.channel), (unit) =>
    startSession(unit, { ...input, person, method: 'development' }),
  )
}

/**
 * Switches a session of the development profile to another person. The holder of such a session has
 * already shown the token, or a link made with it. Rejects with `not_found` for somebody whom the
 * project does not name.
 */
export async function switchPerson(
  ctx: ServiceContext,
  input: SignInSurroundings & { email: string },
): Promise<StartedSession> {
  const person = await findActivePerson(ctx, input.email)
  if (person === null) {
    throw new Problem('not_found', 'The project names no person with this address')
  }
  return inUnitOfWork(ctx, byVisitor('sign-in', input.channel), (unit) =>
    startSession(unit, { ...input, person, method: 'development' }),
  )
}
