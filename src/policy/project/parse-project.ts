import { nameForm } from '#domain/name-form.ts'
import type { Policy, ProjectFiles, ProjectProblem } from '../policy.ts'
import type { ProjectConfig } from '../project-config.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { priceOf } from '../worker/price-of.ts'
import { Report } from '../reading/report.ts'
import { policyDigest } from '../version-digest.ts'
import { parseModelName } from '../worker/model-name.ts'
import { placeOfKey } from '../worker/place-of-key.ts'
import { readScript } from '../worker/read-script.ts'
import { readWorker } from '../worker/read-worker.ts'
import { configFile } from '../names/own-files.ts'
import { readConfig } from './config/read-config.ts'
import { refuseUnfitSchedules } from './warnings/refuse-unfit-schedules.ts'
import { warnOfBranchTools } from './warnings/warn-of-branch-tools.ts'
import { warnOfIdleEntries } from './warnings/warn-of-idle-entries.ts'
import { warnOfIdleRules } from './warnings/warn-of-idle-rules.ts'
import { warnOfSeeingServers } from './warnings/warn-of-seeing-servers.ts'
import { warnOfSharedMailboxes } from './warnings/warn-of-shared-mailboxes.ts'
import { warnOfWrittenServers } from './warnings/warn-of-written-servers.ts'
import { warnOfGroupRights, warnOfUnreachable } from './warnings/warn-of-unreachable.ts'

export type ParsedProject =
  | { readonly policy: Policy; readonly warnings: readonly ProjectProblem[] }
  | {
      readonly problems: readonly ProjectProblem[]
      /** those whose own file has no error; absent: none */
      readonly workers?: ReadonlyMap<string, WorkerDefinition>
    }

const workerPath = /^workers\/([^/]+)\.md$/

/**
 * Parses and validates a project folder: a version that can be activated, or every problem at once
 * (including warnings).
 */
export function parseProject(files: ProjectFiles): ParsedProject {
  const report = new Report()
  const texts = usableTexts(report, files)
  const names = workerNamesIn(report, files)
  const read = readConfigOf(report, files, texts, new Set(names.keys()))
  const scripts = new Set<string>()
  const workers = new Map<string, WorkerDefinition>()
  for (const [name, file] of names) {
    const text = texts.get(file)
    const worker =
      text === undefined
        ? null
        : readWorker(report, {
            file,
            name,
            text,
            scriptText: (path) => files.texts.get(path) ?? null,
            names: read?.names ?? null,
          })
    if (worker === null) continue
    workers.set(name, worker)
    const model = parseModelName(worker.model)
    if (model?.kind === 'script') scripts.add(model.path)
  }
  for (const path of scripts) readScript(report, path, texts.get(path) ?? 'turns: []')
  // Errors of a file can cause odd warnings: one mistake, one message.
  if (read !== null && !report.hasErrorsIn(configFile)) {
    warnOfUnreachable(report, read.config, workers)
    warnOfGroupRights(report, read.config)
    warnOfSharedMailboxes(report, read.config)
    warnOfIdleEntries(report, read.config, workers)
    warnOfBranchTools(report, read.config, workers)
    warnOfWrittenServers(report, read.config, workers)
  }
  if (read !== null) {
    refuseUnfitSchedules(report, read.config, workers)
    if (!read.hasModelErrors)
      for (const worker of workers.values()) requirePrice(report, read.config, worker)
  }
  for (const worker of workers.values()) {
    if (report.hasErrorsIn(`workers/${worker.name}.md`)) continue
    warnOfIdleRules(report, worker)
    warnOfSeeingServers(report, worker)
  }
  if (read === null || report.hasErrors) {
    const valid = [...workers].filter(([name]) => !report.hasErrorsIn(`workers/${name}.md`))
    return { problems: report.all(), workers: new Map(valid) }
  }
  const { toolFiles } = files
  const policy = { digest: policyDigest(files), config: read.config, workers, toolFiles, files }
  return { policy, warnings: report.all() }
}

/** A cost limit can only be enforced when the price of the model is known. */
function requirePrice(report: Report, config: ProjectConfig, worker: WorkerDefinition): void {
  if (worker.limits.costUsd === null || priceOf(config, worker.model) !== null) return
  const entry = worker.model.slice(worker.model.indexOf(':') + 1)
  report.error(
    placeOfKey(worker, 'limits'),
    `"limits.costUsd" needs the price of ${worker.model}, which is not in ${configFile}`,
    parseModelName(worker.model)?.kind === 'script'
      ? 'remove "costUsd": a script costs nothing'
      : `write it there: \`models: { ${entry}: { price: { input: 3, output: 15 } } }\``,
  )
}

/** `null` after a report: references to names of an unreadable file are not checked. */
function readConfigOf(
  report: Report,
  files: ProjectFiles,
  texts: ReadonlyMap<string, string>,
  workerNames: ReadonlySet<string>,
): ReturnType<typeof readConfig> {
  const text = texts.get(configFile)
  if (text !== undefined) return readConfig(report, text, workerNames)
  if (!files.texts.has(configFile)) {
    const place = { file: configFile, line: null }
    report.error(place, 'the file does not exist', 'run `countersign init`')
  }
  return null
}

/** The texts that can be stored and hashed; the others are reported, and not parsed. */
function usableTexts(report: Report, files: ProjectFiles): ReadonlyMap<string, string> {
  const usable = new Map<string, string>()
  for (const [file, text] of files.texts) {
    if (text.isWellFormed() && !text.includes('\0')) {
      usable.set(file, text)
      continue
    }
    const problem = 'the file is not valid UTF-8 text'
    report.error({ file, line: null }, problem, 'save it as UTF-8 without NUL characters')
  }
  return usable
}

/** Worker names by their files; two that differ only by case would be one file on other systems. */
function workerNamesIn(report: Report, files: ProjectFiles): Map<string, string> {
  const names = new Map<string, string>()
  for (const file of [...files.texts.keys()].toSorted()) {
    const name = workerPath.exec(file)?.[1]
    if (name === undefined) continue
    const place = { file, line: null }
    if (!nameForm.test(name)) {
      const problem = `"${name}" is not a name for a worker`
      report.error(place, problem, 'use letters, digits, "-" and "_", at most 64')
    } else if ([...names.keys()].some((other) => other.toLowerCase() === name.toLowerCase())) {
      report.error(place, 'another worker has this name in other case', 'rename one of them')
    } else names.set(name, file)
  }
  return names
}
