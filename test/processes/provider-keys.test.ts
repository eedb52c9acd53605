import { describe, expect, test } from "vitest";
import { childEnvironment, type EnvironmentSources } from "../../src/processes/environment.ts";

function environment(sources: Partial<EnvironmentSources>) {
  return childEnvironment({ inherit: "most", parent: {}, dialect: {}, handler: {}, platform: "linux", ...sources })
    .variables;
}

describe("a key under a configured name", () => {
  const parent = { MODEL_GATEWAY: "secret", MODEL_GATEWAY_URL: "kept" };
  const withheld = ["MODEL_GATEWAY"];

  test("is not inherited, and similar variables are", () => {
    expect(environment({ parent })).toHaveProperty("MODEL_GATEWAY");
    expect(environment({ parent, withheld })).toMatchObject({ MODEL_GATEWAY_URL: "kept" });
    expect(environment({ parent, withheld })).not.toHaveProperty("MODEL_GATEWAY");
  });

  test("is given to the hook that names it itself", () => {
    expect(environment({ parent, withheld, handler: { MODEL_GATEWAY: "on purpose" } })).toMatchObject({
      MODEL_GATEWAY: "on purpose",
    });
  });

  test("is withheld in another spelling on Windows, and is another variable elsewhere", () => {
    const spelled = { Model_Gateway: "secret" };
    expect(environment({ parent: spelled, withheld, platform: "win32" })).not.toHaveProperty("Model_Gateway");
    expect(environment({ parent: spelled, withheld: ["model_gateway"], platform: "win32" })).not.toHaveProperty(
      "Model_Gateway",
    );
    expect(environment({ parent: spelled, withheld })).toHaveProperty("Model_Gateway");
  });

  test("is not a pattern", () => {
    expect(environment({ parent, withheld: ["MODEL_*"] })).toMatchObject(parent);
  });

  test("is none of the variables that every program needs", () => {
    const needed = { PATH: "/bin", HOME: "/home/ada" };
    expect(environment({ parent: needed, withheld: ["PATH", "HOME"] })).toEqual(needed);
  });
});
