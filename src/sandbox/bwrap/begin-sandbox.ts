import { spawn, type ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { CommandLimits } from '../process/command-limits.ts'
import { SandboxFailed } from '../process/command-end.ts'
import { boundByKernel, type ControlGroup } from '../process/control-group.ts'
import { hasPipes, tooManyFiles } from '../process/has-pipes.ts'
import { ownArchitecture, systemCallFilter, unknownArchitecture } from '../seccomp/filter.ts'
import { bwrapArguments, bytesOfWords } from './bwrap-arguments.ts'
import { commandEnvironment } from './command-environment.ts'
import { proxyEnvironment } from './domain-network.ts'
import { informationDescriptor } from './first-inside.ts'
import { networkDescriptors, resolverOf } from './own-network.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import type { SystemFolder } from './system-folders.ts'
import { coversToCheck, sandboxedArgv } from './sandboxed-argv.ts'

const argumentsDescriptor = 3
const filterDescriptor = 8

/** A sandbox, and the command in it. */
export interface NewSandbox {
  readonly bwrap: string
  /** a program with first arguments that starts bubblewrap; empty: bubblewrap itself */
  readonly launch: readonly string[]
  readonly folders: readonly SystemFolder[]
  readonly plan: SandboxPlan
  readonly argv: readonly string[]
  /** variables besides those of every command */
  readonly environment?: Readonly<Record<string, string>>
  readonly limits: CommandLimits
  /** a network of its own, listed domains, or none */
  readonly network: NetworkAccess
}

/** The processes of a sandbox that begins. */
export interface BegunSandbox {
  readonly child: ChildProcess
  /** `null`: the kernel bounds nothing of it on this host */
  readonly group: ControlGroup | null
  /** `null`: it has no network */
  readonly access: Exclude<NetworkAccess, 'none'> | null
}

/** Starts bubblewrap, and gives it everything that it reads before the command begins. */
export function beginSandbox(run: NewSandbox): BegunSandbox {
  const { limits, plan } = run
  const access = run.network === 'none' ? null : run.network
  const architecture = ownArchitecture()
  if (architecture === null) throw new SandboxFailed(unknownArchitecture)
  const isRoot = process.getuid?.() === 0
  const [program, ...before] = [...run.launch, run.bwrap]
  const inside = sandboxedArgv(run.argv, mountsToCheck(plan), limits, { isRoot })
  const host = { folders: run.folders, tmpBytes: limits.writtenBytes }
  const words = bwrapArguments(plan, host, {
    passwd: 4,
    group: 5,
    filter: filterDescriptor,
    information: informationDescriptor,
    network: access === null ? null : networkDescriptors,
  })
  const wordsBytes = bytesOfWords(words, inside.length)
  const child = spawn(
    program,
    [...before, '--args', String(argumentsDescriptor), '--', ...inside],
    {
      env: {
        ...commandEnvironment,
        ...(Array.isArray(access) ? proxyEnvironment : {}),
        ...run.environment,
      },
      stdio: ['ignore', ...Array.from({ length: access === null ? 8 : 10 }, () => 'pipe' as const)],
      detached: true,
    },
  )
  if (!hasPipes(child)) throw new SandboxFailed(`The command was not begun: ${tooManyFiles}.`)
  // bubblewrap reads its arguments first, so nothing begins before they are sent.
  const group =
    child.pid === undefined
      ? null
      : boundByKernel(child.pid, {
          processes: limits.processes + 2,
          memoryBytes: limits.memoryBytes,
        })
  give(child, argumentsDescriptor, wordsBytes)
  give(child, 4, `user:x:${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}::/tmp:/bin/sh\n`)
  give(child, 5, `user:x:${process.getgid?.() ?? 0}:\n`)
  const countsMemory = group?.bounds.memory ?? false
  give(child, filterDescriptor, systemCallFilter(architecture, { countsMemory }))
  if (access !== null) give(child, networkDescriptors.resolver, resolverOf(access))
  return { child, group, access }
}

/** The mounts that must be those that were examined outside. */
function mountsToCheck(plan: SandboxPlan) {
  const { around = [], copies, cwd, cwdIdentity, zones } = plan
  const folder = cwdIdentity === null ? [] : [{ path: cwd, identity: cwdIdentity }]
  return [...zones, ...around, ...copies, ...folder, ...coversToCheck(plan)]
}

/** A pipe of a child that has its pipes: it closes with the process. */
export function pipeOf(child: ChildProcess, descriptor: number): unknown {
  return (child.stdio as readonly unknown[])[descriptor]
}

function give(child: ChildProcess, descriptor: number, text: string | Buffer): void {
  const pipe = pipeOf(child, descriptor) as Writable
  // A process that ended before it read everything reports that by its exit code.
  pipe.on('error', () => undefined)
  pipe.end(text)
}
