import path from 'node:path'
import { BrokenRule } from '#domain/tools/broken-rule.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { watchFiles } from '../../commands/changes/watch-files.ts'
import { hasCommandRecord } from '../../commands/execution/command-record.ts'
import type { CommandSite } from '../../commands/plan/command-place.ts'
import { violationOf } from '../../commands/execution/command-result.ts'
import type { WatchNames } from '../connection.ts'
import { coverOf } from './sandbox-cover.ts'
import { planServer } from './server-plan.ts'

/**
 * Searches for protected names before and after each call of a server, as for a command
 * (security.md 8). It removes new ones, and the call fails with a violation that names them. A call
 * without a result then rejects with `BrokenRule`. In a run's worktree the result has the files
 * that the call changed. If the sandbox of a server does not cover everything that it must cover by
 * now, the server is first started again.
 */
export function watchNames(site: CommandSite): WatchNames {
  return (place, args) => {
    const { worker } = place
    const writes = worker.zones.some(({ mode }) => mode === 'rw')
    const reads =
      site.sandbox.works && (worker.zones.length > 0 || args.some((word) => path.isAbsolute(word)))
    if (!writes && !reads) return null
    return async (host, work) => {
      const planned = await planServer(site, place, args, false)
      const { before, plan, undo: undoSince } = planned
      if (site.sandbox.works) await host.requireCover(await coverOf(plan))
      if (!writes) return work()
      const undo = async (): Promise<string | null> => violationOf(await undoSince(before))
      const { root } = place.workspace
      const isAlone = async (): Promise<boolean> => !(await hasCommandRecord(site.dataDir, root))
      const watched = await watchFiles(site.sandbox, place.workspace, isAlone).catch(() => null)
      let result: ToolResult
      try {
        result = await work()
      } catch (error) {
        const violation = await undo()
        throw violation === null ? error : new BrokenRule(violation, { cause: error })
      }
      const violation = await undo()
      // A call that is stopped rejects above, so nothing may stop this search.
      const changes = (await watched?.changes(plan, new AbortController().signal)) ?? null
      const all = changes === null ? result : { ...result, changes }
      return violation === null ? all : withViolation(all, violation)
    }
  }
}

function withViolation(result: ToolResult, violation: string): ToolResult {
  const text = `This call broke a rule: ${violation}\n${result.text}`
  return { ...result, type: 'error', text, violation }
}
