import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { MeasuredAgent } from '../../../scripts/tables/measured-hooks.ts'
import { InstalledPrograms } from '../runtimes/runtimes.ts'
import type { ModelCalls } from './model-server.ts'

type ModelCall = ModelCalls[number]

/** Where an agent works: its project, which has its home too, and the address of its model. */
export interface Place {
  readonly folder: string
  readonly modelUrl: string
}

/** An agent that is run for real. */
export interface RealAgent {
  readonly programs: InstalledPrograms
  /** writes what it needs in its project: a model that answers, and trust in the folder */
  readonly prepare: (place: Place) => Promise<void>
  /** what does as the model says, and ends */
  readonly work: (place: Place) => {
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
  }
  readonly program: string
  /** the call that runs a command */
  readonly runs: (command: string) => ModelCall
  /** a call that fails, of a file that is missing */
  readonly fails: (file: string) => ModelCall
  /** whether it tells its hooks that a call failed */
  readonly reportsFailures: boolean
  /** how many characters a command of it may have */
  readonly longest: number
  /** how its requests come */
  readonly request: Readonly<Record<string, unknown>>
  /** settings with a hook before each call, as nobody should write it: file and contents */
  readonly settings: (command: string, timeoutSeconds: number) => readonly [string, object]
}

async function write({ folder }: Place, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), text)
}

/** The agents by the names of their hooks. */
export const realAgents: Readonly<Record<MeasuredAgent, RealAgent>> = {
  codex: {
    programs: new InstalledPrograms('codex', { '@openai/codex': '0.171.0' }),
    program: '.bin/codex',
    prepare: async (place) => {
      await write(
        place,
        'home/.codex/config.toml',
        `model = "m"
model_provider = "local"
sandbox_mode = "danger-full-access"
[model_providers.local]
name = "Local"
base_url = "${place.modelUrl}/v1"
wire_api = "responses"
[projects."${place.folder}"]
trust_level = "trusted"
`,
      )
    },
    // A person trusts each hook in its dialogue; there is none here.
    work: () => ({
      args: 'exec --json --skip-git-repo-check --dangerously-bypass-hook-trust do'.split(' '),
      env: {},
    }),
    runs: (cmd) => ({ name: 'exec_command', input: { cmd } }),
    fails: (path) => ({ name: 'view_image', input: { path } }),
    reportsFailures: false,
    longest: 7_500,
    request: { tool: 'shell' },
    settings: (command, timeout) => [
      '.codex/hooks.json',
      { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command, timeout }] }] } },
    ],
  },
  'gemini-cli': {
    programs: new InstalledPrograms('gemini-cli', { '@google/gemini-cli': '0.61.0' }),
    program: '.bin/gemini',
    prepare: (place) => {
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } }
      return write(place, 'home/.gemini/settings.json', JSON.stringify(settings))
    },
    work: ({ modelUrl }) => ({
      args: '--yolo --model gemini-2.5-pro --output-format json --prompt do'.split(' '),
      env: {
        GEMINI_API_KEY: 'local',
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    }),
    runs: (command) => ({ name: 'run_shell_command', input: { command, description: 'Make it' } }),
    fails: (file_path) => ({ name: 'read_file', input: { file_path } }),
    reportsFailures: true,
    longest: 100_000,
    request: { tool: 'gemini-cli:run_shell_command', risk: 'high' },
    settings: (command, seconds) => {
      const hook = { name: 'raw', type: 'command', command, timeout: seconds * 1000 }
      return [
        '.gemini/settings.json',
        { hooks: { BeforeTool: [{ matcher: '.*', hooks: [hook] }] } },
      ]
    },
  },
  'copilot-cli': {
    programs: new InstalledPrograms('copilot-cli', { '@github/copilot': '1.0.102' }),
    program: '.bin/copilot',
    prepare: () => Promise.resolve(),
    work: ({ modelUrl }) => ({
      args: ['--allow-all-tools', '--trust-folder', '--no-color', '--prompt', 'do it'],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_PROVIDER_API_KEY: 'local',
        COPILOT_MODEL: 'gpt-5',
        COPILOT_OFFLINE: 'true',
      },
    }),
    runs: (command) => ({ name: 'bash', input: { command, description: 'Make it' } }),
    fails: (path) => ({ name: 'view', input: { path } }),
    reportsFailures: true,
    longest: 100_000,
    request: { tool: 'copilot-cli:bash', risk: 'high' },
    settings: (bash, timeoutSec) => [
      '.github/hooks/raw.json',
      { version: 1, hooks: { preToolUse: [{ type: 'command', bash, cwd: '.', timeoutSec }] } },
    ],
  },
}
