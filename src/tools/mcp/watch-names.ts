import { BrokenRule } from '#domain/tools/broken-rule.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { CommandSite } from '../commands/plan/command-place.ts'
import { violationOf } from '../commands/execution/command-result.ts'
import { makePlan } from '../commands/plan/make-plan.ts'
import type { ServerPlace } from './connection.ts'

/** Carries out one call of a server, and undoes changes of protected names in the meantime. */
export type WatchedCall = (work: () => Promise<ToolResult>) => Promise<ToolResult>

/**
 * How calls of a standard-input server are watched; `null`: it has no zone that it could write to.
 */
export type WatchNames = (place: ServerPlace) => WatchedCall | null

/**
 * Searches for protected names before and after each call of a server, as for a command
 * (security.md 8): new ones are removed, and the call fails with a violation that names them. A
 * call without a result then rejects with `BrokenRule`.
 */
export function watchNames(site: CommandSite): WatchNames {
  return ({ policy, worker, workspace }) => {
    if (!worker.zones.some(({ mode }) => mode === 'rw')) return null
    const place = { ...site, policy, worker }
    return async (work) => {
      const { before, undo: undoSince } = await makePlan(place, workspace, '', new Set(), false)
      const undo = async (): Promise<string | null> => violationOf(await undoSince(before))
      let result: ToolResult
      try {
        result = await work()
      } catch (error) {
        const violation = await undo()
        throw violation === null ? error : new BrokenRule(violation, { cause: error })
      }
      const violation = await undo()
      return violation === null ? result : withViolation(result, violation)
    }
  }
}

function withViolation(result: ToolResult, violation: string): ToolResult {
  const text = `This call broke a rule: ${violation}\n${result.text}`
  return { ...result, type: 'error', text, violation }
}
