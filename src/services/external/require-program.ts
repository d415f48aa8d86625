import type { Actor } from '../../domain/actor.ts'
import { Problem } from '../../domain/problem.ts'
import type { Caller } from '../context.ts'

/** The machine identity behind a caller. */
export type Program = Extract<Actor, { type: 'machine' }>

/**
 * The program that calls. Rejects people with `forbidden`: what a program asks for, takes and reports is its own doing,
 * in the name of its key (product.md 19). The scope of the key was judged when it was read.
 */
export function requireProgram(caller: Caller): Program {
  if (caller.actor.type === 'machine') return caller.actor
  throw new Problem('forbidden', 'This is for programs: send authorization: Bearer with an API key')
}
