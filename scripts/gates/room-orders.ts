/**
 * The rooms of each folder that has rooms, lowest first: a room imports itself and the rooms before
 * it, so that there is no circle between folders. `.` means the files that lie in the folder
 * itself.
 */
export const roomOrders: RoomOrders = {
  'src/store': [
    'tables',
    'connection',
    '.',
    'paging',
    'content',
    'audit',
    'records',
    'migrations',
    'migrating',
    'backup',
  ],
  'src/store/migrations': ['baseline', '.'],
  'src/delivery': [
    '.',
    'channels',
    'webhooks',
    'audit-log',
    'deployments',
    'callbacks',
    'email',
    'oidc',
    'outbox',
    'push',
    'reconciling',
    'schedules',
    'slack',
    'stream',
  ],
  'src/api': [
    'schemas',
    'context',
    'identity',
    'body',
    'middleware',
    'route',
    'open-api',
    'held-open',
    'views',
    'hooks',
    'routes',
    'mcp',
    '.',
  ],
  'src/api/schemas': [
    '.',
    'access',
    'audit',
    'runs',
    'policy',
    'requests',
    'notifications',
    'operation',
  ],
  'src/api/routes': [
    'access',
    'audit',
    'runs',
    'policy',
    'requests',
    'notifications',
    'operation',
    '.',
  ],
  'src/services': [
    'transcript',
    'core',
    'refusals',
    'requests',
    'grants',
    'permits',
    'runs',
    'access',
    'engine',
    'policy',
    'search',
    'passkeys',
    'decisions',
    'external',
    'revising',
    'hooks',
    'gateway',
    'deployments',
    'replay',
    'insights',
    'audit',
    'erasure',
    'retention',
    'channels',
    'installation',
    'keys',
  ],
  'src/services/core': ['problems', '.', 'runs'],
  'src/services/requests': [
    'words',
    'people',
    'facts',
    'opening',
    'ending',
    'lists',
    'detail',
    '.',
  ],
  'src/services/runs': [
    'starting',
    '.',
    'reading',
    'schedules',
    'triggers',
    'forking',
    'streaming',
  ],
  'src/services/access': ['.', 'api-keys', 'sessions', 'sign-in', 'oidc'],
  'src/services/engine': [
    'attempts',
    'delegation',
    'judging',
    'starting',
    'manual-calls',
    'lifecycle',
    'window',
    'turns',
    'executions',
  ],
  'src/services/policy': ['activations', 'pins', '.'],
  'src/services/decisions': ['signing', '.'],
  'src/services/audit': ['.', 'log', 'export'],
  'src/services/channels': ['mail', 'push', 'slack', 'webhooks'],
  'src/policy': [
    '.',
    'globs',
    'reading',
    'schema',
    'schedules',
    'worker',
    'names',
    'shell',
    'cues',
    'judge',
    'delegation',
    'preamble',
    'project',
    'difference',
    'proposing',
  ],
  'src/policy/shell': ['text', 'spelling', 'programs', 'strict', 'search', 'rules', '.'],
  'src/policy/cues': ['text', 'programs', '.'],
  'src/policy/judge': ['calls', 'routing', 'consent', 'preview', '.'],
  'src/policy/project': ['config', 'warnings', '.'],
  'src/policy/project/config': ['channels', '.'],
  'src/domain': [
    'json',
    'policy',
    'requests',
    'tools',
    'runs',
    'channels',
    'network',
    'sharing',
    '.',
    'text',
    'fields',
    'deciding',
    'statements',
    'hooks',
  ],
  'src/evidence': ['.', 'merkle', 'tiles', 'note', 'bundle', 'verify'],
  'src/evidence/verify': [
    'findings',
    'authorisation',
    'binding',
    'completeness',
    'signatures',
    'statements',
    'log',
    '.',
  ],
  'src/domain/text': ['encoding', 'look-alikes', 'quantities', '.'],
  'src/sandbox': [
    'names',
    '.',
    'git',
    'snapshots',
    'seccomp',
    'proxy',
    'process',
    'bwrap',
    'unconfined',
    'worktrees',
    'fixtures',
  ],
  'src/sandbox/bwrap': ['.', 'names'],
  'src/tools': [
    'threads',
    'presentations',
    'effects',
    'definition',
    'files',
    'results',
    'commands',
    'worktrees',
    'delegation',
    'custom',
    'mcp',
    '.',
  ],
  'src/tools/files': ['search', '.'],
  'src/tools/commands': ['plan', 'facts', 'git', 'presentation', 'changes', 'execution', '.'],
  'src/tools/custom': ['modules', '.', 'process'],
  'src/tools/mcp': ['programs', '.', 'process', 'sandbox'],
  'src/ui': [
    'styles',
    'words',
    'api',
    'text',
    'keyboard',
    'notices',
    'push',
    'live',
    'states',
    'floating',
    'views',
    'sending',
    'shell',
    'passkeys',
    'deliveries',
    'effect',
    'audit',
    'deciding',
    'runs',
    'request',
    'change-set',
    'inbox',
    'policy',
    'insights',
    'account',
    'sign-in',
    'service-worker',
    '.',
  ],
  'src/ui/audit': ['proof', '.'],
  'src/ui/effect': ['settings', 'highlight', 'seeing', '.'],
  'src/ui/inbox': ['bulk', '.'],
  'src/ui/policy': ['matrix', '.'],
  'src/ui/runs': ['.', 'live', 'files', 'calls', 'turns', 'usage', 'page', 'list', 'start', 'fork'],
  'src/ui/deciding': ['facts', 'triage', 'card', 'comments', 'editing', 'decision', '.'],
  'src/ui/deciding/decision': ['wording', 'choosing', '.', 'answering'],
  'src/runtime': [
    '.',
    'processes',
    'metrics',
    'loop',
    'tracing',
    'config',
    'keys',
    'data-folder',
    'schema',
    'project',
    'embedded',
    'temporal',
    'api',
    'supervisor',
    'doctor',
    'backup',
  ],
  'src/runtime/doctor': ['target', 'host', 'project', 'records', 'servers', '.'],
  'src/cli': [
    'terminal',
    'text',
    'service',
    'decide',
    'converse',
    'hook',
    'acp',
    'mcp',
    'witness',
    'check',
    'init',
    'doctor',
    'start',
    'commands',
    '.',
  ],
  'src/cli/hook': ['settings', 'origin', 'waiting', 'resume', '.'],
  'src/cli/commands': ['.', 'access', 'host', 'audit', 'requests', 'runs'],
}

/** Rooms by folder, lowest first. */
export type RoomOrders = Readonly<Record<string, readonly string[]>>

/** A file, and the files that it imports; paths from the root of the checkout. */
export interface ImportingFile {
  readonly path: string
  readonly imports: readonly string[]
  /** Tests are in a room, but may import from any room. */
  readonly isTest: boolean
}

/** A sentence for each import from a later room, and for each folder that no order names. */
export function brokenOrders(orders: RoomOrders, files: readonly ImportingFile[]): string[] {
  const strays = new Set(files.flatMap(({ path }) => unorderedFolders(orders, path)))
  const backwards = files
    .filter(({ isTest }) => !isTest)
    .flatMap(({ path, imports }) => imports.flatMap((to) => backImports(orders, path, to)))
  return [...strays, ...backwards]
}

/** Folders of a path, below an ordered folder, that no order names. */
function unorderedFolders(orders: RoomOrders, path: string): string[] {
  return foldersOf(path).flatMap((folder) => {
    const room = roomIn(folder, path)
    const order = ownOrder(orders, folder)
    if (order === undefined) {
      const isInOrdered = foldersOf(folder).some((above) => ownOrder(orders, above) !== undefined)
      return isInOrdered && room !== '.' ? [`${folder}/${room}: ${folder} has no order`] : []
    }
    if (order.includes(room)) return []
    const what = room === '.' ? `${path}: files of ${folder} itself are` : `${folder}/${room} is`
    return [`${what} not in the order of ${folder}`]
  })
}

function backImports(orders: RoomOrders, from: string, to: string): string[] {
  return foldersOf(from).flatMap((folder) => {
    const order = ownOrder(orders, folder)
    if (order === undefined || !to.startsWith(`${folder}/`)) return []
    const [ownRoom, otherRoom] = [roomIn(folder, from), roomIn(folder, to)]
    if (order.indexOf(otherRoom) <= order.indexOf(ownRoom)) return []
    return [
      `${from} -> ${to}: in ${folder}, ${ownRoom} stands before ${otherRoom} and does not import it`,
    ]
  })
}

function ownOrder(orders: RoomOrders, folder: string): readonly string[] | undefined {
  return Object.hasOwn(orders, folder) ? orders[folder] : undefined
}

/** `a`, `a/b` for `a/b/c.ts`. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function roomIn(folder: string, path: string): string {
  const rest = path.slice(folder.length + 1).split('/')
  return rest.length === 1 ? '.' : (rest[0] ?? '.')
}
