import { expect, test } from 'vitest'
import { readTracingConfig } from './tracing-config.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }

test('without an endpoint, or switched off, there are no traces', () => {
  expect(readTracingConfig({})).toBeNull()
  expect(readTracingConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull()
  expect(readTracingConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBeNull()
})

test('the standard variables name the collector, its headers and how many traces are kept', () => {
  expect(readTracingConfig(endpoint)).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    ratio: 1,
    serviceName: null,
  })
  expect(
    readTracingConfig({
      ...endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/traces',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, tenant = a=b',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_SERVICE_NAME: 'approvals',
    }),
  ).toEqual({
    url: 'https://other/traces',
    headers: { authorization: 'Bearer x', tenant: 'a=b' },
    ratio: 0.1,
    serviceName: 'approvals',
  })
})

test('settings that are not supported are refused with a sentence', () => {
  for (const wrong of [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'jaeger_remote' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
  ]) {
    expect(() => readTracingConfig(wrong)).toThrow(/^OTEL_/)
  }
})
