import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'

// Whether commands can be sandboxed in this process: for nested-sandbox.test.ts.
console.log(JSON.stringify(await findSandbox('bwrap')))
