import type { Check } from '../check.ts'

/** The Node that runs us is the one that package-lock.json pins. */
export const checkNode: Check = async () => {
  const isRight = process.version.startsWith('v24.')
  return [
    isRight
      ? { check: 'node', state: 'ok', found: `Node ${process.version}` }
      : {
          check: 'node',
          state: 'problem',
          found: `this is Node ${process.version}; Countersign runs under Node 24`,
          remedy:
            'start it as bin/countersign (or npm start), which brings its own Node; run "npm ci" when that is missing',
        },
  ]
}
