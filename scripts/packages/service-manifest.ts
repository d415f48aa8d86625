/** The members of the service's `package.json`. */
export interface Manifest {
  readonly imports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

const copiedKeys = ['name', 'version', 'description', 'license', 'bin', 'type'] as const
/** Clients of cloud providers, about 30 MB together, which users install on demand. */
const installedOnDemand: ReadonlySet<string> = new Set([
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/azure',
  '@ai-sdk/google-vertex',
])

/**
 * The `package.json` of the package `countersign`, from that of the checkout: without development
 * dependencies, and with the compiled files as its imports.
 */
export function packageManifest(checkout: Manifest): Record<string, unknown> {
  const imports = Object.entries(checkout.imports)
    .filter(([name]) => !['#test/*', '#ui/*'].includes(name))
    .map(([name, file]) => [
      name.replace(/\*$/, '*.ts'),
      file.replace(/\*$/, '*.js').replace(/\.ts$/, '.js'),
    ])
  const dependencies = Object.entries(checkout.dependencies)
  const onDemand = dependencies.filter(([name]) => installedOnDemand.has(name))
  return {
    ...pick(checkout, copiedKeys),
    files: ['bin', 'dist', 'examples', 'packages', 'schemas', 'src', 'tools', 'types', '*.md'],
    imports: Object.fromEntries(imports),
    exports: {
      '.': { types: './types/index.d.ts', default: './src/index.js' },
      './package.json': './package.json',
      './schemas/*': './schemas/*',
    },
    dependencies: Object.fromEntries(dependencies.filter(([name]) => !installedOnDemand.has(name))),
    peerDependencies: Object.fromEntries(onDemand),
    peerDependenciesMeta: Object.fromEntries(onDemand.map(([name]) => [name, { optional: true }])),
    ...pick(checkout, ['optionalDependencies']),
    engines: { node: '>=22.18' },
  }
}

function pick(from: Manifest, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, from[key]]))
}
