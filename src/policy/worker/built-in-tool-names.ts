/** The tools of every worker that has zones (workers-and-policy.md, built-in tools). */
export const fileToolNames: readonly string[] = [
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'edit_file',
  'delete_file',
  'move_file',
]

/** The tool that hands work to another worker. */
export const callWorkerName = 'call_worker'

/** The tool that writes a worker into the project. */
export const createWorkerName = 'create_worker'

export const builtInToolNames: readonly string[] = [
  ...fileToolNames,
  'exec',
  'shell',
  callWorkerName,
  createWorkerName,
  'ask_person',
]
