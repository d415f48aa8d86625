import { describe, expect, it } from 'vitest'
import { readBenchCommand } from './command-line.ts'

const names = ['start', 'waiting'] as const
const read = (...args: string[]) => readBenchCommand(args, names)

describe('the command line of the benchmarks', () => {
  it('names one benchmark, a file for its figures, and how many runs wait', () => {
    expect(read('start')).toEqual({ name: 'start', json: null, options: {} })
    expect(read('waiting', '--json', 'out.json', '--runs', '50')).toEqual({
      name: 'waiting',
      json: 'out.json',
      options: { runs: 50 },
    })
  })

  it('prints the usage for --help, with every name', () => {
    for (const help of ['--help', '-h']) {
      const command = read(help)
      expect(command).toMatchObject({ status: 0 })
      expect(command).toHaveProperty('text', expect.stringMatching(/^Usage: .* start, waiting\./))
    }
  })

  it.each([
    { args: [], wrong: 'Name a benchmark.' },
    { args: ['toString'], wrong: 'There is no benchmark toString.' },
    { args: ['start', 'waiting'], wrong: 'One benchmark runs at a time: waiting is too much.' },
    { args: ['start', '--fast'], wrong: "Unknown option '--fast'." },
    { args: ['start', '--json='], wrong: '--json takes the name of a file.' },
    {
      args: ['start', '--json', '--runs', '3'],
      wrong: "Option '--json' argument is ambiguous.",
    },
    { args: ['waiting', '--runs', '-1'], wrong: "Option '--runs' argument is ambiguous." },
    { args: ['start', '--json'], wrong: "Option '--json <value>' argument missing." },
    ...['0', '-1', '1.5', 'many', ''].map((runs) => ({
      args: ['waiting', `--runs=${runs}`],
      wrong: `--runs takes a whole number from 1, not ${runs}.`,
    })),
  ])('says "$wrong" for $args, then the usage, and fails', ({ args, wrong }) => {
    const command = read(...args)
    expect(command).toMatchObject({ status: 2 })
    const text = 'text' in command ? command.text : ''
    expect(text.split('\n').slice(0, 2)).toEqual([wrong, expect.stringMatching(/^Usage: /)])
  })
})
