import { spawnSync } from 'node:child_process'

/**
 * How `work` fails in a process of its own in which no file descriptor is free: the name and the
 * message of its error, or what the process prints if the failure ends it.
 */
export function withoutDescriptors(imports: string, work: string): string {
  const script = `import { openSync, writeSync } from 'node:fs'
${imports}
try {
  for (;;) openSync('/dev/null')
} catch {}
let failure = null
try {
  ${work}
} catch (error) {
  failure = error
}
await new Promise(setImmediate)
writeSync(1, failure?.constructor.name + ': ' + failure?.message)
process.exit(0)`
  const node = [process.execPath, ...process.execArgv, '--input-type=module', '-e', script]
  const words = ['-c', 'ulimit -n 1024 && exec "$@"', 'sh', ...node]
  const { stderr, stdout } = spawnSync('/bin/sh', words, { encoding: 'utf8' })
  return `${stdout}${stderr}`
}
