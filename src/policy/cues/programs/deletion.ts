import { wordSet } from '#domain/text/word-set.ts'
import { hasLetter, hasOption, operandsOf } from './command-words.ts'
import type { CommandOfText } from './commands-of.ts'

/** What a command deletes: `paths` as written, `beyond` for what cannot be listed. */
export interface Deletion {
  readonly paths: readonly string[]
  readonly beyond: string | null
}

const beyond = (what: string): Deletion => ({ paths: [], beyond: what })

const removers = wordSet('rm rmdir unlink shred trash rimraf del')
const disks = wordSet('mkfs wipefs fdisk parted')

/** What a command deletes that Git cannot restore; `null`: nothing, as far as the command shows. */
export function deletionOf(command: CommandOfText): Deletion | null {
  const { program, args } = command
  const operands = operandsOf(command)
  if (removers.has(program)) return { paths: operands, beyond: null }
  if (program === 'truncate') return { paths: operands.slice(1), beyond: null }
  if (program === 'find' && args.includes('-delete')) return beyond('Deletes every file it finds')
  if (program === 'git') return gitDeletion(operands, args)
  if (program === 'rsync' && args.some((word) => word.startsWith('--delete'))) {
    return beyond('Deletes what the source does not have')
  }
  if (disks.has(program) || program.startsWith('mkfs.')) return beyond('Overwrites a disk')
  if (program === 'dd' && args.some((word) => word.startsWith('of=/dev/'))) {
    return beyond('Overwrites a disk')
  }
  return remoteDeletion(program, operands, args)
}

function gitDeletion(operands: readonly string[], args: readonly string[]): Deletion | null {
  const [first = '', second = '', ...rest] = operands
  const isForced = hasLetter(args, 'f') || hasOption(args, '--force')
  if (first === 'clean' && isForced) {
    return beyond('Deletes files that Git does not have')
  }
  if (first === 'reset' && hasOption(args, '--hard')) {
    return beyond('Discards changes that are not committed')
  }
  const discards =
    (first === 'checkout' && (args.includes('--') || second === '.' || isForced)) ||
    (first === 'switch' && (isForced || hasOption(args, '--discard-changes'))) ||
    (first === 'restore' &&
      (!hasOption(args, '--staged', '-S') || hasOption(args, '--worktree', '-W')))
  if (discards) return beyond('Discards changes that are not committed')
  if (first === 'stash' && (second === 'drop' || second === 'clear')) {
    return beyond('Deletes changes that were put aside')
  }
  const deletesBranch = first === 'branch' && (args.includes('-D') || hasOption(args, '--force'))
  if (deletesBranch) return beyond('Deletes a branch whether merged or not')
  if (first === 'worktree' && second === 'remove' && isForced) {
    return beyond('Deletes a working tree with what is not committed')
  }
  const deletesRemote =
    first === 'push' &&
    (hasOption(args, '--delete', '-d') || [second, ...rest].some((word) => /^:./.test(word)))
  return deletesRemote ? beyond('Deletes a branch or tag at the remote') : null
}

function remoteDeletion(
  program: string,
  operands: readonly string[],
  args: readonly string[],
): Deletion | null {
  const [first = '', second = ''] = operands
  if (program === 'kubectl' && (first === 'delete' || first === 'drain')) {
    return beyond('Deletes what runs in a cluster')
  }
  if (
    (program === 'terraform' || program === 'tofu') &&
    (first === 'destroy' || hasOption(args, '-destroy'))
  ) {
    return beyond('Destroys infrastructure')
  }
  if (program === 'helm' && (first === 'uninstall' || first === 'delete')) {
    return beyond('Removes what runs in a cluster')
  }
  if (program === 'pulumi' && first === 'destroy') return beyond('Destroys infrastructure')
  if (program === 'docker' || program === 'podman') {
    const removes =
      (first === 'volume' && (second === 'rm' || second === 'prune')) ||
      (first === 'system' && second === 'prune') ||
      (first === 'compose' && second === 'down' && hasOption(args, '-v', '--volumes'))
    return removes ? beyond('Deletes volumes of containers') : null
  }
  if (program === 'aws' || program === 'gcloud' || program === 'az' || program === 'gsutil') {
    const removes = operands.some((word) =>
      /^(?:delete|rm|rb|terminate|purge|destroy)(?:-|$)/.test(word),
    )
    return removes ? beyond('Deletes something in the cloud') : null
  }
  if (program === 'redis-cli' && /^flush(?:all|db)$/i.test(first))
    return beyond('Empties a database')
  if (program === 'dropdb' || (program === 'gh' && second === 'delete')) {
    return beyond('Deletes a database, repository or release')
  }
  return program === 'crontab' && hasOption(args, '-r') ? beyond('Deletes the schedule') : null
}

const buildFolders = wordSet(`
  node_modules __pycache__ dist build target coverage .next .turbo .pytest_cache .mypy_cache
  .cache .parcel-cache .nuxt out .nyc_output .ruff_cache .tox htmlcov`)

/** Files that builds and tests make again: `node_modules`, `dist`, and everything in `/tmp`. */
export function isBuildOutput(path: string): boolean {
  if (/[?*]/.test(path.replace(/\/\*$/, ''))) return false
  if (path.split('/').includes('..')) return false
  if (/^(?:\/tmp|\/var\/tmp|\$TMPDIR)\/./.test(path)) return true
  if (path.startsWith('/') || path.startsWith('~')) return false
  return (
    path.split('/').some((name) => buildFolders.has(name)) || /\.(?:pyc|o|tmp|class)$/.test(path)
  )
}
