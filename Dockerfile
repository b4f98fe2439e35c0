# discern in a container: docker build -t discern . && docker run --rm discern which --help
# A first stage builds the Debian package and runs nothing else; the second installs it on a bare Debian 12.
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends bash ca-certificates dpkg-dev file && script/setup \
    && cmake --preset release -DDISCERN_TESTS=OFF -DDISCERN_BENCH=OFF \
    && cmake --build --preset release --target discern discern-check discern_models \
    && cd build && cpack -G DEB

FROM debian:12-slim
COPY --from=build /src/build/discern_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/discern_*.deb \
    && rm -rf /tmp/discern_*.deb /var/lib/apt/lists/*
ENTRYPOINT ["discern"]
